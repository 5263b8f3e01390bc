// Package replay derives the rerun of a recorded job from its trace: the job's specification and
// the duration of each task. Package simulator and its faster variant, simulator/tasklevel, both
// use it. Without a Plan, Shares, or a TaskTime, task durations are therefore the same in both.
package replay

// Package replay derives the rerun of a recorded job from its trace: the job's specification and
// the duration of each task. Package simulator and its faster variant, simulator/tasklevel, both
// use it. Task durations therefore cannot differ between the two.
package replay

// Package replay derives from a trace what is needed to rerun a recorded job, namely the job's
// specification and the duration of each task. Package simulator and its faster variant,
// simulator/tasklevel, both use it. Without a Plan, Shares, or a TaskTime, task durations are
// therefore the same in both.
package replay

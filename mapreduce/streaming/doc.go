// Package streaming runs any executable as a mapper, combiner, or reducer, like Hadoop Streaming. A
// command reads records from its standard input and writes records to its standard output. It
// reports counters and status in lines on its standard error. To the rest of the system, a command
// is a Mapper or Reducer like any other.
//
// Start with App, the program, and Parse, which parses Hadoop's options. The configuration alone
// (Hadoop's stream.* keys) determines the job, so that a task's child process finds all settings in
// job.xml.
package streaming

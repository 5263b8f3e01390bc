// Package streaming runs any executable as a mapper, combiner or reducer, as Hadoop Streaming does: records go to its standard
// input, what it writes to its standard output comes back as records, and lines on its standard error report counters and
// status. To the rest of the system a command is just another Mapper or Reducer.
//
// App is the program, Parse reads Hadoop's options, and the job is made from configuration alone (Hadoop's stream.* keys), so
// that a task's child finds everything in job.xml.
package streaming

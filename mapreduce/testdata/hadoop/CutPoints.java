import java.io.File;
import java.io.PrintWriter;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.partition.InputSampler;
import org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner;

/** Writes partition-split.lst and partition-interval.lst with Hadoop's InputSampler. */
public class CutPoints {
  static void write(String name, InputSampler.Sampler<Text, Text> sampler) throws Exception {
    Job job = Job.getInstance();
    job.getConfiguration().set("mapreduce.input.fileinputformat.split.maxsize", "2000");
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    job.setMapOutputKeyClass(Text.class);
    job.setNumReduceTasks(7);
    FileInputFormat.addInputPath(job, new Path("input.tmp"));
    TotalOrderPartitioner.setPartitionFile(job.getConfiguration(), new Path(name));
    InputSampler.writePartitionFile(job, sampler);
  }

  public static void main(String[] args) throws Exception {
    try (PrintWriter out = new PrintWriter("input.tmp")) {
      for (int i = 0; i < 1000; i++) out.printf("k%03d\tv\n", i * 617 % 1000);
    }
    write("partition-split.lst", new InputSampler.SplitSampler<>(100, 2));
    write("partition-interval.lst", new InputSampler.IntervalSampler<>(0.3, 3));
    new File("input.tmp").delete();
  }
}

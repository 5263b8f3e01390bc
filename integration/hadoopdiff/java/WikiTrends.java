import java.io.IOException;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** The twin of apps/wikitrends: IN... OUT. */
final class WikiTrends {
  static void run(Configuration c, String[] args) throws Exception {
    Job j = Twins.job(c, Visits.class, LongSumReducer.class, LongSumReducer.class);
    Twins.types(j, Text.class, LongWritable.class, Text.class, LongWritable.class);
    Twins.run(j, Twins.inputs(args), Twins.output(args));
  }

  static final class Visits extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      String[] f = line.toString().split(" ", -1);
      if (f.length != 4 || !f[2].matches("\\+?[0-9]{1,18}")) {
        c.getCounter("WikiTrends", "DAMAGED_LINES").increment(1);
        return;
      }
      c.write(new Text(f[0] + " " + f[1]), new LongWritable(Long.parseLong(f[2])));
    }
  }
}

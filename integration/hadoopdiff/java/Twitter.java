import java.io.IOException;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** The twin of apps/twitter. */
final class Twitter {
  static void links(Configuration c, String[] args) throws Exception {
    String counts = Twins.between("twitter", 1, Twins.output(args));
    Job pairs = Twins.job(c, Pair.class, Directions.class, Count.class);
    Twins.types(pairs, Text.class, IntWritable.class, Text.class, LongWritable.class);
    Twins.run(pairs, Twins.inputs(args), counts);
    Job total = Twins.job(c, ReadCount.class, null, LongSumReducer.class);
    total.setNumReduceTasks(1);
    Twins.types(total, Text.class, LongWritable.class, Text.class, LongWritable.class);
    Twins.run(total, counts + "/part-*", Twins.output(args));
    Twins.delete(c, counts);
    System.out.println(pairs.getCounters().findCounter("Twitter", "ASYMMETRIC_LINKS").getValue() + " of "
        + pairs.getCounters().findCounter("Twitter", "LINKS").getValue() + " links are asymmetric");
  }

  static void rank(Configuration c, String[] args) throws Exception {
    String scores = Twins.between("twitter-rank", 1, Twins.output(args));
    Job score = Twins.job(c, Mention.class, Merge.class, Rate.class);
    Twins.types(score, LongWritable.class, Text.class, LongWritable.class, Text.class);
    Twins.run(score, Twins.inputs(args), scores);
    Job order = Twins.job(c, ByScore.class, null, Lines.class);
    order.setNumReduceTasks(1);
    Twins.types(order, Text.class, Text.class, Text.class, NullWritable.class);
    Twins.run(order, scores + "/part-*", Twins.output(args));
    Twins.delete(c, scores);
  }

  /** The two users on a line; null if the line is empty or a comment. */
  private static long[] edge(String line) {
    String[] f = line.trim().split("\\s+");
    return f[0].isEmpty() || f[0].charAt(0) == '#' ? null : new long[] {Long.parseLong(f[0]), Long.parseLong(f[1])};
  }

  static final class Pair extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      long[] e = edge(line.toString());
      if (e != null && e[0] != e[1]) {
        c.write(new Text(Math.min(e[0], e[1]) + " " + Math.max(e[0], e[1])), new IntWritable(e[0] < e[1] ? 1 : 2));
      }
    }
  }

  private static int both(Iterable<IntWritable> ways) {
    int all = 0;
    for (IntWritable w : ways) {
      all |= w.get();
    }
    return all;
  }

  static final class Directions extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text k, Iterable<IntWritable> ways, Context c) throws IOException, InterruptedException {
      c.write(k, new IntWritable(both(ways)));
    }
  }

  static final class Count extends Reducer<Text, IntWritable, Text, LongWritable> {
    private long links;
    private long asymmetric;

    @Override
    protected void reduce(Text k, Iterable<IntWritable> ways, Context c) {
      boolean mutual = both(ways) == 3;
      links += mutual ? 2 : 1;
      asymmetric += mutual ? 0 : 1;
    }

    @Override
    protected void cleanup(Context c) throws IOException, InterruptedException {
      c.getCounter("Twitter", "LINKS").increment(links);
      c.getCounter("Twitter", "ASYMMETRIC_LINKS").increment(asymmetric);
      c.write(new Text("asymmetric"), new LongWritable(asymmetric));
      c.write(new Text("links"), new LongWritable(links));
    }
  }

  static final class ReadCount extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      String[] f = line.toString().split("\t");
      c.write(new Text(f[0]), new LongWritable(Long.parseLong(f[1])));
    }
  }

  static final class Mention extends Mapper<LongWritable, Text, LongWritable, Text> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      if (line.toString().startsWith("tweet ")) {
        c.write(new LongWritable(Long.parseLong(line.toString().split(" ")[1])), new Text("0 1"));
        return;
      }
      long[] e = edge(line.toString());
      if (e == null) {
        return;
      }
      c.write(new LongWritable(e[0]), new Text("0 0"));
      if (e[0] != e[1]) {
        c.write(new LongWritable(e[1]), new Text("1 0"));
      }
    }
  }

  private static long[] add(Iterable<Text> marks) {
    long[] sum = new long[2];
    for (Text m : marks) {
      String[] f = m.toString().split(" ");
      sum[0] += Long.parseLong(f[0]);
      sum[1] += Long.parseLong(f[1]);
    }
    return sum;
  }

  static final class Merge extends Reducer<LongWritable, Text, LongWritable, Text> {
    @Override
    protected void reduce(LongWritable k, Iterable<Text> marks, Context c) throws IOException, InterruptedException {
      long[] s = add(marks);
      c.write(k, new Text(s[0] + " " + s[1]));
    }
  }

  static final class Rate extends Reducer<LongWritable, Text, LongWritable, Text> {
    @Override
    protected void reduce(LongWritable user, Iterable<Text> marks, Context c) throws IOException, InterruptedException {
      long[] s = add(marks);
      c.write(new LongWritable(s[0] * (1 + s[1])), new Text(user + "\t" + s[0] + "\t" + s[1]));
    }
  }

  static final class ByScore extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      String[] f = line.toString().split("\t");
      c.write(new Text(String.format("%019d %019d", Long.MAX_VALUE - Long.parseLong(f[0]), Long.parseLong(f[1]))), line);
    }
  }

  static final class Lines extends Reducer<Text, Text, Text, NullWritable> {
    @Override
    protected void reduce(Text k, Iterable<Text> lines, Context c) throws IOException, InterruptedException {
      for (Text l : lines) {
        c.write(l, NullWritable.get());
      }
    }
  }
}

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** PageRank as in apps/pagerank: [-rounds N] [-damping D] IN OUT. */
final class PageRank {
  private static final String GROUP = "PageRank";
  private static final long MILLION = 1_000_000;

  static void run(Configuration c, String[] args) throws Exception {
    int rounds = 10;
    double damping = 0.85;
    int at = 0;
    for (; args[at].startsWith("-"); at += 2) {
      if (args[at].equals("-rounds")) {
        rounds = Integer.parseInt(args[at + 1]);
      } else {
        damping = Double.parseDouble(args[at + 1]);
      }
    }
    String in = args[at];
    String out = args[at + 1];
    c.setLong("twin.damping", Math.round(damping * MILLION));
    Job graph = Twins.job(c, ReadLinks.class, Join.class, Build.class);
    Twins.types(graph, Text.class, Text.class, Text.class, Text.class);
    Twins.run(graph, in, out + "/round-0");
    c.setLong("twin.pages", graph.getCounters().findCounter(GROUP, "PAGES").getValue());
    c.setLong("twin.held", graph.getCounters().findCounter(GROUP, "DANGLING_RANK").getValue());
    int n = 0;
    while (n < rounds) {
      n++;
      Job round = Twins.job(c, Spread.class, LongSumReducer.class, Rank.class);
      Twins.types(round, Text.class, LongWritable.class, Text.class, Text.class);
      Twins.run(round, out + "/round-" + (n - 1), out + "/round-" + n);
      Twins.delete(c, out + "/round-" + (n - 1));
      c.setLong("twin.held", round.getCounters().findCounter(GROUP, "DANGLING_RANK").getValue());
      if (round.getCounters().findCounter(GROUP, "MOVED_RANK").getValue() == 0) {
        break;
      }
    }
    Job ranks = Twins.job(c, RankOnly.class, null, null);
    Twins.types(ranks, Text.class, Text.class, Text.class, Text.class);
    Twins.run(ranks, out + "/round-" + n, out + "/ranks");
    Twins.delete(c, out + "/round-" + n);
  }

  private static String[] fields(String s) {
    s = s.trim();
    return s.isEmpty() ? new String[0] : s.split("\\s+");
  }

  private static String[] cut(String s) {
    int i = s.indexOf('\t');
    return i < 0 ? new String[] {s, ""} : new String[] {s.substring(0, i), s.substring(i + 1)};
  }

  static final class ReadLinks extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      if (line.toString().trim().isEmpty()) {
        return;
      }
      String[] f = cut(line.toString());
      c.write(new Text(f[0]), new Text(f[1]));
      for (String t : fields(f[1])) {
        c.write(new Text(t), new Text());
      }
    }
  }

  static final class Join extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text page, Iterable<Text> lists, Context c) throws IOException, InterruptedException {
      StringBuilder all = new StringBuilder();
      for (Text l : lists) {
        if (l.getLength() > 0 && all.length() > 0) {
          all.append(' ');
        }
        all.append(l);
      }
      c.write(page, new Text(all.toString()));
    }
  }

  static final class Build extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text page, Iterable<Text> lists, Context c) throws IOException, InterruptedException {
      TreeSet<String> targets = new TreeSet<>();
      for (Text l : lists) {
        for (String t : fields(l.toString())) {
          targets.add(t);
        }
      }
      c.getCounter(GROUP, "PAGES").increment(1);
      if (targets.isEmpty()) {
        c.getCounter(GROUP, "DANGLING_RANK").increment(Fixed.ONE);
      }
      c.write(page, new Text("1\t" + String.join(" ", targets)));
    }
  }

  static final class Spread extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      String[] state = cut(cut(line.toString())[1]);
      String[] targets = fields(state[1]);
      for (String t : targets) {
        c.write(new Text(t), new LongWritable(Fixed.parse(state[0]) / targets.length));
      }
    }
  }

  /** Reads the pages and their links from the reduce's part file of the previous round. */
  static final class Rank extends Reducer<Text, LongWritable, Text, Text> {
    private BufferedReader states;

    @Override
    protected void setup(Context c) throws IOException {
      Path in = FileInputFormat.getInputPaths(c)[0];
      FileSystem fs = in.getFileSystem(c.getConfiguration());
      String part = String.format("part-r-%05d*", c.getTaskAttemptID().getTaskID().getId());
      Path file = fs.globStatus(new Path(in, part))[0].getPath();
      InputStream bytes = fs.open(file);
      CompressionCodec codec = new CompressionCodecFactory(c.getConfiguration()).getCodec(file);
      if (codec != null) {
        bytes = codec.createInputStream(bytes);
      }
      states = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
    }

    @Override
    protected void reduce(Text page, Iterable<LongWritable> sums, Context c) throws IOException, InterruptedException {
      long shares = 0;
      for (LongWritable s : sums) {
        shares += s.get();
      }
      while (!next(page.toString(), shares, c).equals(page.toString())) {
      }
    }

    @Override
    protected void cleanup(Context c) throws IOException, InterruptedException {
      while (next(null, 0, c) != null) {
      }
      states.close();
    }

    /** Writes the next page's rank. The page has no shares unless it is the page "to". */
    private String next(String to, long shares, Context c) throws IOException, InterruptedException {
      String line = states.readLine();
      if (line == null) {
        return null;
      }
      String[] f = cut(line);
      String[] state = cut(f[1]);
      Configuration conf = c.getConfiguration();
      long damping = conf.getLong("twin.damping", 0);
      long got = conf.getLong("twin.held", 0) / conf.getLong("twin.pages", 1) + (f[0].equals(to) ? shares : 0);
      long damped = BigInteger.valueOf(damping).multiply(BigInteger.valueOf(got)).divide(BigInteger.valueOf(MILLION)).longValueExact();
      long rank = Fixed.ONE / MILLION * (MILLION - damping) + damped;
      c.getCounter(GROUP, "MOVED_RANK").increment(Math.abs(rank - Fixed.parse(state[0])));
      if (state[1].isEmpty()) {
        c.getCounter(GROUP, "DANGLING_RANK").increment(rank);
      }
      c.write(new Text(f[0]), new Text(Fixed.text(rank) + "\t" + state[1]));
      return f[0];
    }
  }

  static final class RankOnly extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      String[] f = cut(line.toString());
      c.write(new Text(f[0]), new Text(cut(f[1])[0]));
    }
  }
}

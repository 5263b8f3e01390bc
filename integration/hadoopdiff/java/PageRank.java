import java.io.IOException;
import java.math.BigInteger;
import java.util.TreeSet;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

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
    Job graph = Twins.job(c, ReadLinks.class, null, Build.class);
    Twins.types(graph, Text.class, Text.class, Text.class, Text.class);
    Twins.run(graph, in, out + "/round-0");
    c.setLong("twin.pages", graph.getCounters().findCounter(GROUP, "PAGES").getValue());
    c.setLong("twin.held", graph.getCounters().findCounter(GROUP, "DANGLING_RANK").getValue());
    int n = 0;
    while (n < rounds) {
      n++;
      Job round = Twins.job(c, Spread.class, Combine.class, Rank.class);
      Twins.types(round, Text.class, Text.class, Text.class, Text.class);
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

  static final class Spread extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      String[] f = cut(line.toString());
      String[] state = cut(f[1]);
      c.write(new Text(f[0]), new Text(">" + state[0] + "\t" + state[1]));
      String[] targets = fields(state[1]);
      for (String t : targets) {
        c.write(new Text(t), new Text("+" + Fixed.text(Fixed.parse(state[0]) / targets.length)));
      }
    }
  }

  /** The rank that a page received. */
  private static final class Inbox {
    long shares;
    long old;
    String links;

    Inbox(Iterable<Text> messages) {
      for (Text t : messages) {
        String m = t.toString();
        if (m.charAt(0) == '>') {
          String[] f = cut(m.substring(1));
          old = Fixed.parse(f[0]);
          links = f[1];
        } else {
          shares += Fixed.parse(m.substring(1));
        }
      }
    }
  }

  static final class Combine extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text page, Iterable<Text> messages, Context c) throws IOException, InterruptedException {
      Inbox in = new Inbox(messages);
      if (in.shares > 0) {
        c.write(page, new Text("+" + Fixed.text(in.shares)));
      }
      if (in.links != null) {
        c.write(page, new Text(">" + Fixed.text(in.old) + "\t" + in.links));
      }
    }
  }

  static final class Rank extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text page, Iterable<Text> messages, Context c) throws IOException, InterruptedException {
      Configuration f = c.getConfiguration();
      long damping = f.getLong("twin.damping", 0);
      long even = f.getLong("twin.held", 0) / f.getLong("twin.pages", 1);
      Inbox in = new Inbox(messages);
      long damped = BigInteger.valueOf(damping).multiply(BigInteger.valueOf(in.shares + even)).divide(BigInteger.valueOf(MILLION)).longValueExact();
      long rank = Fixed.ONE / MILLION * (MILLION - damping) + damped;
      c.getCounter(GROUP, "MOVED_RANK").increment(Math.abs(rank - in.old));
      if (in.links.isEmpty()) {
        c.getCounter(GROUP, "DANGLING_RANK").increment(rank);
      }
      c.write(page, new Text(Fixed.text(rank) + "\t" + in.links));
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

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** The twins of apps/bayes and apps/tfidf. */
final class Documents {
  static void bayes(Configuration c, String[] args) throws Exception {
    Job j = Twins.job(c, Features.class, Sum.class, Sum.class);
    Twins.types(j, Text.class, Text.class, Text.class, Text.class);
    Twins.run(j, Twins.inputs(args), Twins.output(args));
  }

  static void tfidf(Configuration c, String[] args) throws Exception {
    String out = Twins.output(args);
    String counts = Twins.between("tfidf", 1, out);
    String documents = Twins.between("tfidf", 2, out);
    Job count = Twins.job(c, Words.class, LongSumReducer.class, LongSumReducer.class);
    Twins.types(count, Text.class, LongWritable.class, Text.class, LongWritable.class);
    Twins.run(count, Twins.inputs(args), counts);
    Job spread = Twins.job(c, Once.class, LongSumReducer.class, LongSumReducer.class);
    Twins.types(spread, Text.class, LongWritable.class, Text.class, LongWritable.class);
    Twins.run(spread, counts + "/part-*", documents);
    c.setLong("twin.documents", count.getCounters().findCounter("TFIDF", "DOCUMENTS").getValue());
    Job weigh = Twins.job(c, Side.class, null, Weigh.class);
    Twins.types(weigh, Term.class, Text.class, Text.class, Text.class);
    weigh.setPartitionerClass(ByTerm.class);
    weigh.setGroupingComparatorClass(Terms.class);
    Twins.run(weigh, documents + "/part-*," + counts + "/part-*", out);
    Twins.delete(c, counts);
    Twins.delete(c, documents);
  }

  private static String[] split(String text) {
    return text.split("[^\\p{L}\\p{Nd}]+");
  }

  static final class Features extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      if (line.toString().trim().isEmpty()) {
        return;
      }
      String[] f = line.toString().split("\t", 3);
      TreeMap<String, Integer> words = new TreeMap<>();
      for (String w : split(f[2].toLowerCase())) {
        if (!w.isEmpty()) {
          words.merge(w, 1, Integer::sum);
        }
      }
      double norm = 0;
      for (int n : words.values()) {
        norm += Math.log1p(n) * Math.log1p(n);
      }
      norm = Math.sqrt(norm);
      for (Map.Entry<String, Integer> e : words.entrySet()) {
        long w = (long) Math.floor(Math.log1p(e.getValue()) / norm * Fixed.ONE + 0.5);
        c.write(new Text(f[1] + "," + e.getKey()), new Text(Fixed.text(w)));
      }
      c.write(new Text(f[1]), new Text("1"));
    }
  }

  static final class Sum extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text k, Iterable<Text> values, Context c) throws IOException, InterruptedException {
      long sum = 0;
      for (Text v : values) {
        sum += Fixed.parse(v.toString());
      }
      c.write(k, new Text(Fixed.text(sum)));
    }
  }

  static final class Words extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      if (line.toString().trim().isEmpty()) {
        return;
      }
      String[] f = line.toString().split("\t", 3);
      c.getCounter("TFIDF", "DOCUMENTS").increment(1);
      for (String w : split(f[f.length - 1])) {
        if (!w.isEmpty()) {
          c.write(new Text(w.toLowerCase() + "\t" + f[0]), new LongWritable(1));
        }
      }
    }
  }

  static final class Once extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      c.write(new Text(line.toString().split("\t", 2)[0]), new LongWritable(1));
    }
  }

  /** A term and its sort key, with a zero in between. */
  static final class Term implements WritableComparable<Term> {
    String term = "";
    String rest = "";

    @Override
    public void write(DataOutput o) throws IOException {
      o.write((term + "\0" + rest).getBytes("UTF-8"));
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      // The buffer contains one key, up to its end.
      java.io.ByteArrayOutputStream b = new java.io.ByteArrayOutputStream();
      java.io.InputStream s = (java.io.InputStream) in;
      for (int x; (x = s.read()) >= 0; ) {
        b.write(x);
      }
      String all = b.toString("UTF-8");
      term = all.substring(0, all.indexOf(0));
      rest = all.substring(term.length() + 1);
    }

    @Override
    public int compareTo(Term o) {
      int d = term.compareTo(o.term);
      return d != 0 ? d : rest.compareTo(o.rest);
    }
  }

  static {
    WritableComparator.define(Term.class, new WritableComparator(Term.class) {
      @Override
      public int compare(byte[] a, int aAt, int aLen, byte[] b, int bAt, int bLen) {
        return compareBytes(a, aAt, aLen, b, bAt, bLen);
      }
    });
  }

  static final class Terms implements RawComparator<Term> {
    private static int term(byte[] b, int at) {
      int n = 0;
      while (b[at + n] != 0) {
        n++;
      }
      return n;
    }

    @Override
    public int compare(byte[] a, int aAt, int aLen, byte[] b, int bAt, int bLen) {
      return WritableComparator.compareBytes(a, aAt, term(a, aAt), b, bAt, term(b, bAt));
    }

    @Override
    public int compare(Term a, Term b) {
      return a.term.compareTo(b.term);
    }
  }

  static final class ByTerm extends Partitioner<Term, Text> {
    @Override
    public int getPartition(Term k, Text v, int n) {
      int h = 0;
      for (byte b : k.term.getBytes(java.nio.charset.StandardCharsets.UTF_8)) {
        h = 31 * h + (b & 0xff);
      }
      return (h & Integer.MAX_VALUE) % n;
    }
  }

  static final class Side extends Mapper<LongWritable, Text, Term, Text> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      String[] f = line.toString().split("\t", 2);
      Term t = new Term();
      t.term = f[0];
      int tab = f[1].indexOf('\t');
      t.rest = tab < 0 ? "0" : "1" + f[1].substring(0, tab);
      c.write(t, new Text(f[1]));
    }
  }

  static final class Weigh extends Reducer<Term, Text, Text, Text> {
    @Override
    protected void reduce(Term k, Iterable<Text> values, Context c) throws IOException, InterruptedException {
      double rarity = 0;
      String term = k.term;
      for (Text v : values) {
        String[] f = v.toString().split("\t");
        if (f.length == 1) {
          rarity = Math.log(c.getConfiguration().getLong("twin.documents", 0) / Double.parseDouble(f[0]));
        } else {
          c.write(new Text(term), new Text(f[0] + "\t" + String.format("%.6f", Double.parseDouble(f[1]) * rarity)));
        }
      }
    }
  }
}

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/** Lloyd's algorithm as in apps/kmeans: [-k K] [-rounds N] [-seed S] IN OUT. */
final class Kmeans {
  private static final String CENTERS = "twin.kmeans.centers";
  private static final String K = "twin.kmeans.k";
  private static final String SEED = "twin.kmeans.seed";

  static void run(Configuration c, String[] args) throws Exception {
    int rounds = 10;
    int at = 0;
    c.setInt(K, 8);
    c.setLong(SEED, 1);
    for (; args[at].startsWith("-"); at += 2) {
      switch (args[at]) {
        case "-k":
          c.setInt(K, Integer.parseInt(args[at + 1]));
          break;
        case "-seed":
          c.setLong(SEED, Long.parseLong(args[at + 1]));
          break;
        case "-rounds":
          rounds = Integer.parseInt(args[at + 1]);
          break;
        default:
          throw new IllegalArgumentException(args[at]);
      }
    }
    String in = args[at];
    String out = args[at + 1];
    Job start = Twins.job(c, Draw.class, null, Choose.class);
    start.setNumReduceTasks(1);
    Twins.types(start, LongWritable.class, Text.class, Text.class, NullWritable.class);
    Twins.run(start, in, out + "/start");
    List<String> lines = new ArrayList<>();
    for (String l : lines(c, out + "/start")) {
      lines.add(lines.size() + "\t0\t" + l);
    }
    Twins.delete(c, out + "/start");
    write(c, out + "/clusters-0/start", lines);
    int n = 0;
    while (n < rounds) {
      n++;
      c.set(CENTERS, out + "/clusters-" + (n - 1));
      Job round = Twins.job(c, Assign.class, Combine.class, Middle.class);
      Twins.types(round, IntWritable.class, BytesWritable.class, IntWritable.class, Text.class);
      String next = out + "/clusters-" + n;
      Twins.run(round, in, next);
      if (settle(c, next) == 0) {
        break;
      }
    }
    c.set(CENTERS, out + "/clusters-" + n);
    Job points = Twins.job(c, Label.class, null, null);
    Twins.types(points, IntWritable.class, Text.class, IntWritable.class, Text.class);
    Twins.run(points, in, out + "/points");
  }

  /** Keeps centers that no point chose, and returns the largest distance that any center moved. */
  private static double settle(Configuration c, String next) throws IOException {
    long[][] before = centers(c);
    Set<Integer> chosen = new HashSet<>();
    double moved = 0;
    for (String l : lines(c, next)) {
      String[] f = l.split("\t");
      int id = Integer.parseInt(f[0]);
      chosen.add(id);
      moved = Math.max(moved, distance2(before[id], point(f[2])));
    }
    List<String> kept = new ArrayList<>();
    for (int i = 0; i < before.length; i++) {
      if (!chosen.contains(i)) {
        kept.add(i + "\t0\t" + text(before[i]));
      }
    }
    if (!kept.isEmpty()) {
      write(c, next + "/unchosen", kept);
    }
    return Math.sqrt(moved);
  }

  private static List<String> lines(Configuration c, String dir) throws IOException {
    List<String> out = new ArrayList<>();
    FileSystem fs = FileSystem.get(new Path(dir).toUri(), c);
    TreeSet<Path> files = new TreeSet<>();
    for (FileStatus s : fs.listStatus(new Path(dir))) {
      if (!s.getPath().getName().startsWith("_")) {
        files.add(s.getPath());
      }
    }
    for (Path p : files) {
      try (BufferedReader r = new BufferedReader(new InputStreamReader(fs.open(p), StandardCharsets.UTF_8))) {
        for (String l; (l = r.readLine()) != null; ) {
          out.add(l);
        }
      }
    }
    return out;
  }

  private static void write(Configuration c, String file, List<String> lines) throws IOException {
    Path p = new Path(file);
    try (java.io.OutputStream o = FileSystem.get(p.toUri(), c).create(p)) {
      o.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private static long[] point(String line) {
    String[] f = line.trim().split("[, \t]+");
    long[] p = new long[f.length];
    for (int i = 0; i < p.length; i++) {
      p[i] = Fixed.parse(f[i]);
    }
    return p;
  }

  private static String text(long[] p) {
    StringBuilder b = new StringBuilder();
    for (int i = 0; i < p.length; i++) {
      b.append(i > 0 ? "," : "").append(Fixed.text(p[i]));
    }
    return b.toString();
  }

  private static double distance2(long[] a, long[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      double d = Fixed.real(a[i]) - Fixed.real(b[i]);
      sum += d * d;
    }
    return sum;
  }

  private static long[][] centers(Configuration c) throws IOException {
    TreeMap<Integer, long[]> byId = new TreeMap<>();
    for (String l : lines(c, c.get(CENTERS))) {
      String[] f = l.split("\t");
      byId.put(Integer.parseInt(f[0]), point(f[2]));
    }
    return byId.values().toArray(new long[0][]);
  }

  private static int nearest(long[][] centers, long[] p) {
    int best = 0;
    double min = Double.POSITIVE_INFINITY;
    for (int i = 0; i < centers.length; i++) {
      double d = distance2(centers[i], p);
      if (d < min) {
        best = i;
        min = d;
      }
    }
    return best;
  }

  private static boolean blank(Text line) {
    return line.toString().trim().isEmpty();
  }

  /** A cluster's points: their number and the sum of each coordinate in 128 bits. */
  private static final class Partial {
    long count;
    BigInteger[] sums;

    void add(long n, BigInteger[] more) {
      if (sums == null) {
        sums = new BigInteger[more.length];
        java.util.Arrays.fill(sums, BigInteger.ZERO);
      }
      count += n;
      for (int i = 0; i < sums.length; i++) {
        sums[i] = sums[i].add(more[i]);
      }
    }

    void add(long[] p) {
      BigInteger[] b = new BigInteger[p.length];
      for (int i = 0; i < p.length; i++) {
        b[i] = BigInteger.valueOf(p[i]);
      }
      add(1, b);
    }

    void add(BytesWritable w) {
      ByteBuffer b = ByteBuffer.wrap(w.copyBytes());
      long n = b.getLong();
      BigInteger[] more = new BigInteger[b.remaining() / 16];
      byte[] one = new byte[16];
      for (int i = 0; i < more.length; i++) {
        b.get(one);
        more[i] = new BigInteger(one);
      }
      add(n, more);
    }

    BytesWritable bytes() {
      ByteBuffer b = ByteBuffer.allocate(8 + 16 * sums.length).putLong(count);
      for (BigInteger s : sums) {
        b.putLong(s.shiftRight(64).longValue()).putLong(s.longValue());
      }
      return new BytesWritable(b.array());
    }
  }

  static final class Draw extends Mapper<LongWritable, Text, LongWritable, Text> {
    /** Orders by lot, unsigned, then by text. */
    private final TreeSet<Object[]> best = new TreeSet<>((a, b) -> {
      int d = Long.compareUnsigned((Long) a[0], (Long) b[0]);
      return d != 0 ? d : ((String) a[1]).compareTo((String) b[1]);
    });

    @Override
    protected void map(LongWritable k, Text line, Context c) {
      if (blank(line)) {
        return;
      }
      String text = text(point(line.toString()));
      long h = 0xcbf29ce484222325L;
      for (byte b : ByteBuffer.allocate(8).putLong(c.getConfiguration().getLong(SEED, 1)).array()) {
        h = (h ^ b & 0xff) * 0x100000001b3L;
      }
      for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
        h = (h ^ b & 0xff) * 0x100000001b3L;
      }
      best.add(new Object[] {h, text});
      if (best.size() > c.getConfiguration().getInt(K, 8)) {
        best.pollLast();
      }
    }

    @Override
    protected void cleanup(Context c) throws IOException, InterruptedException {
      for (Object[] x : best) {
        c.write(new LongWritable((Long) x[0] >>> 1), new Text((String) x[1]));
      }
    }
  }

  static final class Choose extends Reducer<LongWritable, Text, Text, NullWritable> {
    private final Set<String> seen = new HashSet<>();

    @Override
    protected void reduce(LongWritable k, Iterable<Text> points, Context c) throws IOException, InterruptedException {
      TreeSet<String> all = new TreeSet<>();
      points.forEach(p -> all.add(p.toString()));
      for (String p : all) {
        if (seen.size() < c.getConfiguration().getInt(K, 8) && seen.add(p)) {
          c.write(new Text(p), NullWritable.get());
        }
      }
    }
  }

  static final class Assign extends Mapper<LongWritable, Text, IntWritable, BytesWritable> {
    private long[][] centers;
    private Partial[] sums;

    @Override
    protected void setup(Context c) throws IOException {
      centers = centers(c.getConfiguration());
      sums = new Partial[centers.length];
    }

    @Override
    protected void map(LongWritable k, Text line, Context c) {
      if (blank(line)) {
        return;
      }
      long[] p = point(line.toString());
      int i = nearest(centers, p);
      if (sums[i] == null) {
        sums[i] = new Partial();
      }
      sums[i].add(p);
    }

    @Override
    protected void cleanup(Context c) throws IOException, InterruptedException {
      for (int i = 0; i < sums.length; i++) {
        if (sums[i] != null) {
          c.write(new IntWritable(i), sums[i].bytes());
        }
      }
    }
  }

  private static Partial total(Iterable<BytesWritable> values) {
    Partial t = new Partial();
    values.forEach(t::add);
    return t;
  }

  static final class Combine extends Reducer<IntWritable, BytesWritable, IntWritable, BytesWritable> {
    @Override
    protected void reduce(IntWritable k, Iterable<BytesWritable> values, Context c) throws IOException, InterruptedException {
      c.write(k, total(values).bytes());
    }
  }

  static final class Middle extends Reducer<IntWritable, BytesWritable, IntWritable, Text> {
    @Override
    protected void reduce(IntWritable k, Iterable<BytesWritable> values, Context c) throws IOException, InterruptedException {
      Partial t = total(values);
      long[] p = new long[t.sums.length];
      for (int i = 0; i < p.length; i++) {
        p[i] = Fixed.mean(t.sums[i], t.count);
      }
      c.write(k, new Text(t.count + "\t" + text(p)));
    }
  }

  static final class Label extends Mapper<LongWritable, Text, IntWritable, Text> {
    private long[][] centers;

    @Override
    protected void setup(Context c) throws IOException {
      centers = centers(c.getConfiguration());
    }

    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      if (!blank(line)) {
        c.write(new IntWritable(nearest(centers, point(line.toString()))), line);
      }
    }
  }
}

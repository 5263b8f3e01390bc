import java.io.*;
import java.nio.file.Files;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
import org.apache.hadoop.io.*;
import org.apache.hadoop.mapreduce.*;
import org.apache.hadoop.mapreduce.lib.input.*;
import org.apache.hadoop.mapreduce.task.*;

/** Records what Hadoop does, so that tests can compare without it. */
public class Facts {
  static final Random random = new Random(3);

  public static void main(String[] args) throws Exception {
    writables(open(args[0], "writables.tsv"));
    floats(open(args[0], "floats.tsv"));
    lines(open(args[0], "lines.tsv"));
    splits(open(args[0], "splits.tsv"));
  }

  static PrintStream open(String dir, String name) throws Exception {
    return new PrintStream(new FileOutputStream(new File(dir, name)), false, "UTF-8");
  }

  static String hex(byte[] b, int n) {
    StringBuilder s = new StringBuilder();
    for (int i = 0; i < n; i++) s.append(String.format("%02x", b[i]));
    return s.toString();
  }

  static byte[] bytes(int n) {
    byte[] b = new byte[n];
    random.nextBytes(b);
    return b;
  }

  static long number() {
    long bits = random.nextLong();
    int shift = random.nextInt(64);
    return random.nextBoolean() ? bits >> shift : bits >>> shift;
  }

  static double real() {
    switch (random.nextInt(12)) {
      case 0: return Double.NaN;
      case 1: return random.nextBoolean() ? 0.0 : -0.0;
      case 2: return (random.nextInt(2000) - 1000) / 8.0;
      case 3: return random.nextBoolean() ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
      case 4: return Math.pow(10, random.nextInt(616) - 308);
      case 5: return Double.longBitsToDouble(random.nextInt(64));
      case 6: return random.nextDouble() * 1000;
      case 7: return Math.scalb(1.0, random.nextInt(2000) - 1000);
      case 8: return random.nextInt(100000000) / 100.0;
      case 9: return number();
      default: return Double.longBitsToDouble(random.nextLong());
    }
  }

  static float single() {
    switch (random.nextInt(4)) {
      case 0: return Float.intBitsToFloat(random.nextInt());
      case 1: return Math.scalb(1f + random.nextInt(8) / 8f, random.nextInt(276) - 149);
      default: return (float) real();
    }
  }

  static String text() {
    String[] some = {"a", "b", "z", "\u0000", " ", "\u00e4", "\u20ac", "\ud83d\ude00", "word", "\n"};
    StringBuilder s = new StringBuilder();
    for (int n = random.nextInt(40) == 0 ? 200 : random.nextInt(10); n > 0; n--) s.append(some[random.nextInt(some.length)]);
    return s.toString();
  }

  static WritableComparable<?> writable(int type) {
    switch (type) {
      case 0: return new Text(text());
      case 1: return new BytesWritable(bytes(random.nextInt(12)));
      case 2: return new IntWritable((int) number());
      case 3: return new LongWritable(number());
      case 4: return new VIntWritable((int) number());
      case 5: return new VLongWritable(number());
      case 6: return new ShortWritable((short) number());
      case 7: return new ByteWritable((byte) number());
      case 8: return new BooleanWritable(random.nextBoolean());
      case 9: return new FloatWritable(single());
      case 10: return new DoubleWritable(real());
      case 11: return NullWritable.get();
      default: return new MD5Hash(bytes(16));
    }
  }

  static void writables(PrintStream out) throws Exception {
    for (int type = 0; type < 13; type++) {
      byte[] last = null;
      for (int i = 0; i < 60; i++) {
        WritableComparable<?> w = writable(type);
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        w.write(new DataOutputStream(to));
        byte[] b = to.toByteArray();
        int order = last == null ? 0 : WritableComparator.get(w.getClass()).compare(last, 0, last.length, b, 0, b.length);
        byte[] string = w.toString().getBytes("UTF-8");
        out.println(w.getClass().getName() + "\t" + hex(b, b.length) + "\t" + w.hashCode() + "\t" + hex(string, string.length) + "\t" + Integer.signum(order));
        last = b;
      }
    }
    out.close();
  }

  static void floats(PrintStream out) {
    for (int i = 0; i < 1000; i++) {
      double d = real();
      float f = single();
      out.println(Long.toHexString(Double.doubleToLongBits(d)) + "\t" + d + "\t" + Integer.toHexString(Float.floatToIntBits(f)) + "\t" + f);
    }
    out.close();
  }

  static void lines(PrintStream out) throws Exception {
    String[] delimiters = {"", "", "", "ab", "|", "\r\n"};
    String[] some = {"a", "b", "\n", "\r", "\r\n", "|", "ab", "\u00e4", "zzzzzzzzzzzz", "\ufeff"};
    File file = File.createTempFile("lines", ".txt");
    for (int i = 0; i < 150; i++) {
      StringBuilder s = new StringBuilder(random.nextInt(6) == 0 ? "\ufeff" : "");
      for (int n = random.nextInt(15); n > 0; n--) s.append(some[random.nextInt(some.length)]);
      byte[] data = s.toString().getBytes("UTF-8");
      Files.write(file.toPath(), data);
      String delimiter = delimiters[random.nextInt(delimiters.length)];
      for (int start = 0, length; start < data.length; start += length) {
        length = 1 + random.nextInt(data.length - start);
        LineRecordReader r = delimiter.isEmpty() ? new LineRecordReader() : new LineRecordReader(delimiter.getBytes("UTF-8"));
        r.initialize(new FileSplit(new Path("file://" + file), start, length, null), new TaskAttemptContextImpl(raw(), new TaskAttemptID()));
        StringBuilder records = new StringBuilder();
        while (r.nextKeyValue())
          records.append(r.getCurrentKey().get()).append('=').append(hex(r.getCurrentValue().getBytes(), r.getCurrentValue().getLength())).append(' ');
        r.close();
        out.println(hex(data, data.length) + "\t" + hex(delimiter.getBytes("UTF-8"), delimiter.length()) + "\t" + start + "\t" + length + "\t" + records.toString().trim());
      }
    }
    file.delete();
    out.close();
  }

  static Configuration raw() {
    Configuration c = new Configuration();
    c.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    return c;
  }

  static void splits(PrintStream out) throws Exception {
    for (int i = 0; i < 80; i++) {
      File dir = Files.createTempDirectory("splits").toFile();
      long[] size = new long[1 + random.nextInt(7)];
      for (int k = 0; k < size.length; k++) {
        size[k] = random.nextInt(5) == 0 ? 0 : (long) Math.exp(random.nextDouble() * 19);
        try (RandomAccessFile f = new RandomAccessFile(new File(dir, "" + (char) ('a' + k)), "rw")) { f.setLength(size[k]); }
      }
      long max = random.nextInt(3) == 0 ? 0 : (long) Math.exp(15 + random.nextDouble() * 5);
      long min = random.nextInt(3) == 0 ? (long) Math.exp(random.nextDouble() * 18) : 0;
      long node = max > 0 && random.nextInt(2) == 0 ? max / 2 : 0;
      Configuration c = raw();
      if (max > 0) c.setLong("mapreduce.input.fileinputformat.split.maxsize", max);
      if (min > 0) c.setLong("mapreduce.input.fileinputformat.split.minsize", min);
      if (node > 0) c.setLong("mapreduce.input.fileinputformat.split.minsize.per.node", node);
      // The local file system lists in no order; a list of paths has one.
      StringBuilder paths = new StringBuilder();
      for (int k = 0; k < size.length; k++) paths.append(k > 0 ? "," : "").append("file://" + dir + "/" + (char) ('a' + k));
      c.set("mapreduce.input.fileinputformat.inputdir", paths.toString());
      out.println(Arrays.toString(size) + "\t" + max + "\t" + min + "\t" + node + "\t" + show(new TextInputFormat(), c) + "\t" + show(new CombineTextInputFormat(), c));
      for (File f : dir.listFiles()) f.delete();
      dir.delete();
    }
    out.close();
  }

  static String show(InputFormat<?, ?> format, Configuration c) throws Exception {
    StringBuilder s = new StringBuilder();
    for (InputSplit split : format.getSplits(new JobContextImpl(c, new JobID()))) {
      s.append(s.length() > 0 ? " " : "");
      if (split instanceof FileSplit) {
        FileSplit f = (FileSplit) split;
        s.append(f.getPath().getName() + ":" + f.getStart() + "+" + f.getLength());
        continue;
      }
      CombineFileSplit f = (CombineFileSplit) split;
      for (int i = 0; i < f.getNumPaths(); i++)
        s.append((i > 0 ? "," : "") + f.getPath(i).getName() + ":" + f.getOffset(i) + "+" + f.getLength(i));
    }
    return s.toString();
  }
}

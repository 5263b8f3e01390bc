import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator;
import org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedPartitioner;

/** Records how Hadoop compares and hashes random keys by random options: java Facts SEED LINES > keys.tsv. */
public class Facts {
  static final String[] SEPARATORS = {"\t", ",", ".", "-", "::", " "};
  static Random r;

  static String number(Random r) {
    StringBuilder b = new StringBuilder();
    if (r.nextInt(4) == 0) b.append('-');
    for (int i = r.nextInt(4); i > 0; i--) b.append(r.nextInt(3) == 0 ? '0' : (char) ('0' + r.nextInt(10)));
    if (r.nextInt(3) == 0) {
      b.append('.');
      for (int i = r.nextInt(4); i > 0; i--) b.append(r.nextInt(2) == 0 ? '0' : (char) ('0' + r.nextInt(10)));
    }
    if (r.nextInt(8) == 0) b.append((char) ('a' + r.nextInt(3)));
    return b.toString();
  }

  static String word(Random r) {
    StringBuilder b = new StringBuilder();
    String letters = "ab-.0\u00e9\u20ac\ud83d\ude00";
    for (int i = r.nextInt(5); i > 0; i--) {
      int at = r.nextInt(7);
      b.append(at == 7 - 1 ? "\ud83d\ude00" : letters.substring(at, at + 1));
    }
    return b.toString();
  }

  static String key(String sep) {
    StringBuilder b = new StringBuilder();
    int n = r.nextInt(20) == 0 ? 12 : r.nextInt(5);
    for (int i = 0; i < n; i++) {
      if (i > 0) b.append(sep);
      b.append(r.nextInt(2) == 0 ? number(r) : word(r));
    }
    return b.toString();
  }

  static String pos(boolean end) {
    String s = "" + (r.nextInt(30) == 0 ? 0 : 1 + r.nextInt(r.nextInt(10) == 0 ? 12 : 3));
    if (r.nextInt(3) == 0) s += "." + (r.nextInt(6) == 0 ? 0 : 1 + r.nextInt(4));
    if (r.nextInt(4) == 0) s += "n";
    if (r.nextInt(4) == 0) s += "r";
    return s;
  }

  static String options() {
    StringBuilder b = new StringBuilder();
    for (int i = r.nextInt(4); i > 0; i--) {
      switch (r.nextInt(8)) {
        case 0: b.append("-n "); break;
        case 1: b.append("-r "); break;
        case 2: b.append(r.nextInt(3) == 0 ? "-rn " : "-nr "); break;
        default: b.append(r.nextInt(2) == 0 ? "-k" : "-k ").append(pos(false)).append(r.nextInt(2) == 0 ? "," + pos(true) : "").append(' ');
      }
    }
    return b.toString().trim();
  }

  static byte[] serialised(String s) throws Exception {
    DataOutputBuffer out = new DataOutputBuffer();
    out.write(r.nextInt());  // what lies before a key in a buffer
    new Text(s).write(out);
    byte[] b = new byte[out.getLength()];
    System.arraycopy(out.getData(), 0, b, 0, b.length);
    return b;
  }

  public static void main(String[] args) throws Exception {
    r = new Random(Long.parseLong(args[0]));
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    for (int i = Integer.parseInt(args[1]); i > 0; ) {
      String sep = SEPARATORS[r.nextInt(SEPARATORS.length)], options = options();
      Configuration c = new Configuration(false);
      c.set("mapreduce.map.output.key.field.separator", sep);
      c.set("mapreduce.partition.keycomparator.options", options);
      c.set("mapreduce.partition.keypartitioner.options", options);
      KeyFieldBasedComparator<Text, Text> cmp = new KeyFieldBasedComparator<>();
      KeyFieldBasedPartitioner<Text, Text> part = new KeyFieldBasedPartitioner<>();
      cmp.setConf(c);
      part.setConf(c);
      for (int j = 0; j < 8 && i > 0; j++) {
        String a = key(sep), b = r.nextInt(10) == 0 ? a : key(sep);
        byte[] sa = serialised(a), sb = serialised(b);
        String sign, hash;
        try {
          sign = "" + Integer.signum(cmp.compare(sa, 1, sa.length - 1, sb, 1, sb.length - 1));
          hash = "" + part.getPartition(new Text(a), null, Integer.MAX_VALUE);
        } catch (ArrayIndexOutOfBoundsException e) {
          continue;  // whatever lies behind the key in memory decides
        }
        out.println(options + "\t" + hex(sep) + "\t" + hex(a) + "\t" + hex(b) + "\t" + sign + "\t" + hash);
        i--;
      }
    }
    out.flush();
  }

  static String hex(String s) {
    StringBuilder b = new StringBuilder();
    for (byte x : s.getBytes(StandardCharsets.UTF_8)) b.append(String.format("%02x", x));
    return b.toString();
  }
}

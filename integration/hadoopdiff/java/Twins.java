import java.util.Arrays;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.GenericOptionsParser;

/** Java twins of those of our applications that Hadoop lacks. The first argument is the name. */
public final class Twins {
  public static void main(String[] args) throws Exception {
    Configuration c = new Configuration();
    String[] rest = new GenericOptionsParser(c, Arrays.copyOfRange(args, 1, args.length)).getRemainingArgs();
    switch (args[0]) {
      case "kmeans":
        Kmeans.run(c, rest);
        break;
      case "pagerank":
        PageRank.run(c, rest);
        break;
      case "bayes":
        Documents.bayes(c, rest);
        break;
      case "tfidf":
        Documents.tfidf(c, rest);
        break;
      case "wikitrends":
        WikiTrends.run(c, rest);
        break;
      case "twitter":
        Twitter.links(c, rest);
        break;
      case "twitter-rank":
        Twitter.rank(c, rest);
        break;
      case "outputs":
        Authored.outputs(c, rest);
        break;
      case "inputs":
        Authored.inputs(c, rest);
        break;
      case "chained":
        Authored.chained(c, rest);
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }

  /** A job with text input and output. Each twin sets the rest. */
  static Job job(Configuration c, Class<? extends Mapper> map, Class<? extends Reducer> combine, Class<? extends Reducer> reduce) throws Exception {
    Job j = Job.getInstance(c);
    j.setJarByClass(Twins.class);
    j.setMapperClass(map);
    if (combine != null) {
      j.setCombinerClass(combine);
    }
    if (reduce == null) {
      j.setNumReduceTasks(0);
    } else {
      j.setReducerClass(reduce);
    }
    return j;
  }

  static void types(Job j, Class<? extends Writable> mapKey, Class<? extends Writable> mapValue, Class<? extends Writable> key, Class<? extends Writable> value) {
    j.setMapOutputKeyClass(mapKey);
    j.setMapOutputValueClass(mapValue);
    j.setOutputKeyClass(key);
    j.setOutputValueClass(value);
  }

  /** Runs a job; a failure ends the program. */
  static void run(Job j, String in, String out) throws Exception {
    FileInputFormat.setInputPaths(j, in);
    FileOutputFormat.setOutputPath(j, new Path(out));
    if (!j.waitForCompletion(true)) {
      System.exit(1);
    }
  }

  /** Joins the inputs, which are all arguments except the last. */
  static String inputs(String[] args) {
    return String.join(",", Arrays.copyOf(args, args.length - 1));
  }

  static String output(String[] args) {
    return args[args.length - 1];
  }

  /** The folder through which a step passes its output to the next one. */
  static String between(String name, int n, String out) {
    Path p = new Path(out);
    return new Path(p.getParent(), "_" + name + "-" + n + "." + p.getName()).toString();
  }

  static void delete(Configuration c, String path) throws Exception {
    Path p = new Path(path);
    FileSystem.get(p.toUri(), c).delete(p, true);
  }
}

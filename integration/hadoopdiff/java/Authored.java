import java.io.IOException;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.chain.ChainMapper;
import org.apache.hadoop.mapreduce.lib.chain.ChainReducer;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/** The twins of testdata/authored. */
final class Authored {
  static void outputs(Configuration c, String[] args) throws Exception {
    Job j = Twins.job(c, Words.class, LongSumReducer.class, Sort.class);
    Twins.types(j, Text.class, LongWritable.class, Text.class, LongWritable.class);
    MultipleOutputs.addNamedOutput(j, "rare", TextOutputFormat.class, Text.class, LongWritable.class);
    MultipleOutputs.addNamedOutput(j, "seq", SequenceFileOutputFormat.class, Text.class, LongWritable.class);
    Twins.run(j, Twins.inputs(args), Twins.output(args));
  }

  static void inputs(Configuration c, String[] args) throws Exception {
    Job j = Job.getInstance(c);
    j.setJarByClass(Authored.class);
    j.setReducerClass(Join.class);
    Twins.types(j, Text.class, Text.class, Text.class, Text.class);
    MultipleInputs.addInputPath(j, new Path(args[0]), KeyValueTextInputFormat.class, Pairs.class);
    MultipleInputs.addInputPath(j, new Path(args[1]), TextInputFormat.class, Lines.class);
    FileOutputFormat.setOutputPath(j, new Path(args[2]));
    if (!j.waitForCompletion(true)) {
      System.exit(1);
    }
  }

  static void chained(Configuration c, String[] args) throws Exception {
    Job j = Job.getInstance(c);
    j.setJarByClass(Authored.class);
    Twins.types(j, Text.class, LongWritable.class, LongWritable.class, Text.class);
    Configuration none = new Configuration(false);
    ChainMapper.addMapper(j, Words.class, LongWritable.class, Text.class, Text.class, LongWritable.class, none);
    ChainMapper.addMapper(j, Upper.class, Text.class, LongWritable.class, Text.class, LongWritable.class, none);
    ChainMapper.addMapper(j, Long.class, Text.class, LongWritable.class, Text.class, LongWritable.class, none);
    ChainReducer.setReducer(j, LongSumReducer.class, Text.class, LongWritable.class, Text.class, LongWritable.class, none);
    ChainReducer.addMapper(j, Swap.class, Text.class, LongWritable.class, LongWritable.class, Text.class, none);
    Twins.run(j, Twins.inputs(args), Twins.output(args));
  }

  static final class Words extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      for (String w : line.toString().split("[ \t\n\\x0b\f\r]+")) {
        if (!w.isEmpty()) {
          c.write(new Text(w), new LongWritable(1));
        }
      }
    }
  }

  static final class Sort extends Reducer<Text, LongWritable, Text, LongWritable> {
    private MultipleOutputs<Text, LongWritable> outs;

    @Override
    protected void setup(Context c) {
      outs = new MultipleOutputs<>(c);
    }

    @Override
    protected void reduce(Text word, Iterable<LongWritable> ones, Context c) throws IOException, InterruptedException {
      long n = 0;
      for (LongWritable one : ones) {
        n += one.get();
      }
      LongWritable sum = new LongWritable(n);
      if (n == 1) {
        outs.write("rare", word, sum);
      } else if (n == 2) {
        outs.write("rare", word, sum, "by/length" + word.getLength());
      } else if (n == 3) {
        outs.write("seq", word, sum);
      } else {
        c.write(word, sum);
      }
    }

    @Override
    protected void cleanup(Context c) throws IOException, InterruptedException {
      outs.close();
    }
  }

  static final class Pairs extends Mapper<Text, Text, Text, Text> {
    @Override
    protected void map(Text k, Text v, Context c) throws IOException, InterruptedException {
      c.write(k, new Text("pair " + v));
    }
  }

  static final class Lines extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable k, Text line, Context c) throws IOException, InterruptedException {
      String[] f = line.toString().split(" ", 2);
      c.write(new Text(f[0]), new Text("line " + (f.length > 1 ? f[1] : "")));
    }
  }

  static final class Join extends Reducer<Text, Text, Text, Text> {
    @Override
    protected void reduce(Text k, Iterable<Text> values, Context c) throws IOException, InterruptedException {
      java.util.List<String> all = new java.util.ArrayList<>();
      values.forEach(v -> all.add(v.toString()));
      java.util.Collections.sort(all);
      c.write(k, new Text(String.join("|", all)));
    }
  }

  static final class Upper extends Mapper<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void map(Text w, LongWritable n, Context c) throws IOException, InterruptedException {
      c.write(new Text(w.toString().replace('w', 'W')), n);
    }
  }

  static final class Long extends Mapper<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void map(Text w, LongWritable n, Context c) throws IOException, InterruptedException {
      if (w.getLength() > 2) {
        c.write(w, n);
      }
    }
  }

  static final class Swap extends Mapper<Text, LongWritable, LongWritable, Text> {
    @Override
    protected void map(Text w, LongWritable n, Context c) throws IOException, InterruptedException {
      c.write(n, w);
    }
  }
}

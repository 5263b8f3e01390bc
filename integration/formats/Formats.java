import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.avro.Schema;
import org.apache.avro.file.*;
import org.apache.avro.generic.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.*;
import org.apache.hadoop.io.compress.*;
import org.apache.hadoop.mapreduce.*;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.ReflectionUtils;

/** Writes and reads files with Hadoop's own classes. The argument is a command file, one command per line, with tabs between words. */
public class Formats {
    static final Configuration conf = new Configuration();

    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Paths.get(args[0]))) {
            String[] a = line.split("\t", -1);
            try {
                run(a);
                System.out.println("ok");
            } catch (Throwable e) {
                System.out.println(("failed " + line + ": " + e).replace('\n', ' '));
                e.printStackTrace();
            }
        }
    }

    static void run(String[] a) throws Exception {
        switch (a[0]) {
            case "compress": compress(a[1], a[2], a[3]); break;
            case "decompress": decompress(a[1], a[2], a[3]); break;
            case "seqwrite": seqWrite(a); break;
            case "seqread": seqRead(a[1], a[2]); break;
            case "mapwrite": mapWrite(a[1], a[2]); break;
            case "mapread": mapRead(a[1], a[2]); break;
            case "splits": splits(a); break;
            case "nested": nested(a[1]); break;
            case "avrowrite": avroWrite(a[1], a[2], a[3]); break;
            case "avrodump": avroDump(a[1], a[2]); break;
            default: throw new IllegalArgumentException(a[0]);
        }
    }

    static CompressionCodec codec(String name) throws Exception {
        return (CompressionCodec) ReflectionUtils.newInstance(conf.getClassByName(name), conf);
    }

    static void copy(InputStream in, OutputStream out) throws IOException {
        byte[] b = new byte[12345];
        for (int n; (n = in.read(b)) > 0; ) {
            out.write(b, 0, n);
        }
        in.close();
        out.close();
    }

    static void compress(String codec, String from, String to) throws Exception {
        copy(new FileInputStream(from), codec(codec).createOutputStream(new FileOutputStream(to)));
    }

    static void decompress(String codec, String from, String to) throws Exception {
        copy(codec(codec).createInputStream(new FileInputStream(from)), new FileOutputStream(to));
    }

    /** Records are sent as two class names, then a 4-byte length and bytes for each key and each value. */
    interface Each { void record(Writable key, Writable value) throws IOException; }

    static Writable instance(Class<?> c) {
        return c == NullWritable.class ? NullWritable.get() : (Writable) ReflectionUtils.newInstance(c, conf);
    }

    static void records(String file, Each each, Class<?>[] classes) throws Exception {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(file)))) {
            in.readUTF();
            in.readUTF();
            while (true) {
                byte[][] b = new byte[2][];
                for (int i = 0; i < 2; i++) {
                    int n;
                    try {
                        n = in.readInt();
                    } catch (EOFException e) {
                        return;
                    }
                    b[i] = new byte[n];
                    in.readFully(b[i]);
                }
                Writable[] w = new Writable[2];
                for (int i = 0; i < 2; i++) {
                    w[i] = instance(classes[i]);
                    DataInputBuffer buffer = new DataInputBuffer();
                    buffer.reset(b[i], b[i].length);
                    w[i].readFields(buffer);
                }
                each.record(w[0], w[1]);
            }
        }
    }

    static Class<?>[] classes(String file) throws Exception {
        try (DataInputStream in = new DataInputStream(new FileInputStream(file))) {
            return new Class<?>[] {conf.getClassByName(in.readUTF()), conf.getClassByName(in.readUTF())};
        }
    }

    /** seqwrite COMPRESSION CODEC RECORDS FILE [KEY VALUE of metadata]... */
    static void seqWrite(String[] a) throws Exception {
        SequenceFile.Metadata meta = new SequenceFile.Metadata();
        for (int i = 5; i + 1 < a.length; i += 2) {
            meta.set(new Text(a[i]), new Text(a[i + 1]));
        }
        Class<?>[] c = classes(a[3]);
        SequenceFile.CompressionType kind = SequenceFile.CompressionType.valueOf(a[1]);
        SequenceFile.Writer.Option how = kind == SequenceFile.CompressionType.NONE
            ? SequenceFile.Writer.compression(kind) : SequenceFile.Writer.compression(kind, codec(a[2]));
        try (SequenceFile.Writer w = SequenceFile.createWriter(conf, SequenceFile.Writer.file(new Path(a[4])),
                SequenceFile.Writer.keyClass(c[0]), SequenceFile.Writer.valueClass(c[1]), how, SequenceFile.Writer.metadata(meta))) {
            records(a[3], w::append, c);
        }
    }

    static void put(DataOutputStream out, Writable w) throws IOException {
        DataOutputBuffer b = new DataOutputBuffer();
        w.write(b);
        out.writeInt(b.getLength());
        out.write(b.getData(), 0, b.getLength());
    }

    static void text(DataOutputStream out, String s) throws IOException {
        byte[] b = s.getBytes(StandardCharsets.UTF_8);
        out.writeInt(b.length);
        out.write(b);
    }

    /** Dumps class names, then for each record the key, the value, the key's hash code, and both as text. */
    static void seqRead(String file, String to) throws Exception {
        try (SequenceFile.Reader r = new SequenceFile.Reader(conf, SequenceFile.Reader.file(new Path(file)));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(to)))) {
            out.writeUTF(r.getKeyClassName());
            out.writeUTF(r.getValueClassName());
            Writable key = instance(r.getKeyClass()), value = instance(r.getValueClass());
            while (r.next(key, value)) {
                dump(out, key, value);
            }
        }
    }

    static void dump(DataOutputStream out, Writable key, Writable value) throws IOException {
        put(out, key);
        put(out, value);
        out.writeInt(key.hashCode());
        text(out, key.toString());
        text(out, value.toString());
    }

    static void mapWrite(String from, String dir) throws Exception {
        Class<?>[] c = classes(from);
        try (MapFile.Writer w = new MapFile.Writer(conf, new Path(dir), MapFile.Writer.keyClass(c[0].asSubclass(WritableComparable.class)),
                SequenceFile.Writer.valueClass(c[1]))) {
            records(from, (k, v) -> w.append((WritableComparable<?>) k, v), c);
        }
    }

    /** Dumps a MapFile, looking up each value by its key. */
    static void mapRead(String dir, String to) throws Exception {
        try (MapFile.Reader r = new MapFile.Reader(new Path(dir), conf); MapFile.Reader find = new MapFile.Reader(new Path(dir), conf);
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(to)))) {
            out.writeUTF(r.getKeyClass().getName());
            out.writeUTF(r.getValueClass().getName());
            WritableComparable<?> key = (WritableComparable<?>) instance(r.getKeyClass());
            Writable value = instance(r.getValueClass());
            while (r.next(key, value)) {
                dump(out, key, find.get(key, value));
            }
        }
    }

    /** splits INPUTFORMAT FILE TO [KEY VALUE of the configuration]... dumps each split and its records, in split order. */
    static void splits(String[] a) throws Exception {
        Job job = Job.getInstance(new Configuration());
        Configuration c = job.getConfiguration();
        for (int i = 4; i + 1 < a.length; i += 2) {
            c.set(a[i], a[i + 1]);
        }
        FileInputFormat.setInputPaths(job, new Path(a[2]));
        InputFormat<?, ?> format = (InputFormat<?, ?>) ReflectionUtils.newInstance(c.getClassByName(a[1]), c);
        try (PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(a[3])), false, "UTF-8")) {
            for (InputSplit s : format.getSplits(job)) {
                out.print("split " + s.getLength() + "\n");
                TaskAttemptContext t = new TaskAttemptContextImpl(c, new TaskAttemptID("x", 1, TaskType.MAP, 0, 0));
                try (RecordReader<?, ?> r = format.createRecordReader(s, t)) {
                    r.initialize(s, t);
                    while (r.nextKeyValue()) {
                        out.print(r.getCurrentKey() + "\t" + r.getCurrentValue() + "\n");
                    }
                }
            }
        }
    }

    /** Writes a SequenceFile whose values are Writables that contain other Writables. */
    static void nested(String file) throws Exception {
        try (SequenceFile.Writer w = SequenceFile.createWriter(conf, SequenceFile.Writer.file(new Path(file)),
                SequenceFile.Writer.keyClass(IntWritable.class), SequenceFile.Writer.valueClass(MapWritable.class))) {
            Random r = new Random(5);
            for (int i = 0; i < 50; i++) {
                MapWritable m = new MapWritable();
                // Hadoop's reader requires that a class have the same number in all records.
                m.put(new ByteWritable((byte) i), new Text("by a byte"));
                for (int j = 0; j < i; j++) {
                    Writable v = j % 4 == 0 ? new LongWritable(r.nextLong()) : j % 4 == 1 ? new ShortWritable((short) j)
                        : j % 4 == 2 ? NullWritable.get() : new DoubleWritable(r.nextDouble());
                    m.put(j % 3 == 0 ? new IntWritable(r.nextInt()) : new Text("key " + r.nextInt()), v);
                }
                SortedMapWritable<Text> sorted = new SortedMapWritable<>();
                sorted.put(new Text("z"), new VIntWritable(i));
                sorted.put(new Text("a"), new BytesWritable(new byte[] {1, (byte) 255}));
                m.put(new Text("sorted"), sorted);
                w.append(new IntWritable(i), m);
            }
        }
    }

    static final String SCHEMA = "{\"type\":\"record\",\"name\":\"R\",\"namespace\":\"n.s\",\"fields\":["
        + "{\"name\":\"i\",\"type\":\"int\"},{\"name\":\"l\",\"type\":\"long\"},{\"name\":\"f\",\"type\":\"float\"},{\"name\":\"d\",\"type\":\"double\"},"
        + "{\"name\":\"s\",\"type\":\"string\"},{\"name\":\"b\",\"type\":\"bytes\"},{\"name\":\"x\",\"type\":{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}},"
        + "{\"name\":\"e\",\"type\":{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}},{\"name\":\"t\",\"type\":\"boolean\"},{\"name\":\"n\",\"type\":\"null\"},"
        + "{\"name\":\"a\",\"type\":{\"type\":\"array\",\"items\":\"double\"}},{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"long\"}},"
        + "{\"name\":\"u\",\"type\":[\"null\",\"string\",\"E\",\"F\",\"long\"]},{\"name\":\"next\",\"type\":[\"null\",\"R\"]}]}";

    static GenericRecord avroRecord(Schema schema, Random r, int depth) {
        GenericRecord g = new GenericData.Record(schema);
        g.put("i", r.nextInt());
        g.put("l", r.nextLong());
        g.put("f", r.nextInt(9) == 0 ? Float.NaN : r.nextFloat() * 1e9f);
        g.put("d", r.nextInt(9) == 0 ? Double.NEGATIVE_INFINITY : r.nextGaussian());
        StringBuilder s = new StringBuilder("\"\\\n\t/");
        for (int i = r.nextInt(20); i > 0; i--) {
            s.appendCodePoint(new int[] {r.nextInt(256), 0x2028, 0x1F600, 0x20ac, 'x'}[r.nextInt(5)]);
        }
        g.put("s", s.toString());
        byte[] b = new byte[r.nextInt(10)];
        r.nextBytes(b);
        g.put("b", java.nio.ByteBuffer.wrap(b));
        byte[] x = new byte[3];
        r.nextBytes(x);
        GenericData.Fixed fixed = new GenericData.Fixed(schema.getField("x").schema(), x);
        g.put("x", fixed);
        GenericData.EnumSymbol e = new GenericData.EnumSymbol(schema.getField("e").schema(), r.nextBoolean() ? "A" : "B");
        g.put("e", e);
        g.put("t", r.nextBoolean());
        List<Double> list = new ArrayList<>();
        for (int i = r.nextInt(4); i > 0; i--) {
            list.add((double) r.nextInt(1000) / 8);
        }
        g.put("a", list);
        Map<String, Long> m = new HashMap<>();
        for (int i = r.nextInt(40); i > 0; i--) {
            m.put("k" + r.nextInt(), (long) i);
        }
        g.put("m", m);
        g.put("u", new Object[] {null, "text", e, fixed, 5L}[r.nextInt(5)]);
        g.put("next", depth > 0 ? avroRecord(schema, r, depth - 1) : null);
        return g;
    }

    static void avroWrite(String codec, String count, String to) throws Exception {
        Schema schema = new Schema.Parser().parse(SCHEMA);
        Random r = new Random(1);
        try (DataFileWriter<GenericRecord> w = new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema))) {
            w.setCodec(CodecFactory.fromString(codec)).setSyncInterval(2000).create(schema, new File(to));
            for (int i = 0; i < Integer.parseInt(count); i++) {
                w.append(avroRecord(schema, r, i % 4));
            }
        }
    }

    static void avroDump(String file, String to) throws Exception {
        try (DataFileReader<Object> r = new DataFileReader<>(new File(file), new GenericDatumReader<Object>());
                PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(to)), false, "UTF-8")) {
            while (r.hasNext()) {
                out.print(GenericData.get().toString(r.next()) + "\n");
            }
        }
    }
}

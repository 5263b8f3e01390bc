import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Paths;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.util.ReflectionUtils;

/** Reads and writes compressed files and SequenceFiles with Hadoop's own classes, for tests. */
public final class Tool {
  public static void main(String[] a) throws Exception {
    switch (a[0]) {
      case "pack": // CODEC FROM TO
        pack(a[1], a[2], a[3]);
        break;
      case "unpack": // TO FROM...
        unpack(a);
        break;
      case "sequence": // TO FROM...
        sequence(a);
        break;
      default:
        throw new IllegalArgumentException(a[0]);
    }
  }

  private static void pack(String codec, String from, String to) throws Exception {
    Configuration c = new Configuration();
    CompressionCodec k = new CompressionCodecFactory(c).getCodecByName(codec);
    try (InputStream in = Files.newInputStream(Paths.get(from));
        OutputStream out = k.createOutputStream(Files.newOutputStream(Paths.get(to)))) {
      IOUtils.copyBytes(in, out, 65536);
    }
  }

  /** Decompresses files one after another, by their extensions. */
  private static void unpack(String[] a) throws Exception {
    CompressionCodecFactory codecs = new CompressionCodecFactory(new Configuration());
    try (OutputStream out = Files.newOutputStream(Paths.get(a[1]))) {
      for (int i = 2; i < a.length; i++) {
        try (InputStream in = codecs.getCodec(new Path(a[i])).createInputStream(Files.newInputStream(Paths.get(a[i])))) {
          IOUtils.copyBytes(in, out, 65536);
        }
      }
    }
  }

  /** Writes the contents of SequenceFiles as text: classes, kind and codec, metadata, and then each record in hexadecimal. */
  private static void sequence(String[] a) throws IOException {
    Configuration c = new Configuration();
    StringBuilder b = new StringBuilder();
    for (int i = 2; i < a.length; i++) {
      try (SequenceFile.Reader r = new SequenceFile.Reader(c, SequenceFile.Reader.file(new Path("file:" + a[i])))) {
        b.append(r.getKeyClassName()).append('\t').append(r.getValueClassName()).append('\t').append(r.getCompressionType());
        b.append('\t').append(r.getCompressionCodec() == null ? "" : r.getCompressionCodec().getClass().getName());
        b.append('\t').append(r.getMetadata()).append('\n');
        Writable key = (Writable) ReflectionUtils.newInstance(r.getKeyClass(), c);
        Writable value = (Writable) ReflectionUtils.newInstance(r.getValueClass(), c);
        while (r.next(key, value)) {
          hex(b, key);
          b.append('\t');
          hex(b, value);
          b.append('\n');
        }
      }
    }
    Files.write(Paths.get(a[1]), b.toString().getBytes("UTF-8"));
  }

  private static void hex(StringBuilder b, Writable w) throws IOException {
    DataOutputBuffer d = new DataOutputBuffer();
    w.write(d);
    for (int i = 0; i < d.getLength(); i++) {
      b.append(Character.forDigit(d.getData()[i] >> 4 & 15, 16)).append(Character.forDigit(d.getData()[i] & 15, 16));
    }
  }
}

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.security.Permission;
import java.util.Base64;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * Runs one main class after another in one JVM, because a JVM and its compiler take longer to warm up than a small job takes to run.
 *
 * An argument names a settings file on the class path. A request is a line of base64 words: a class and its arguments. The answer is a line of three words: exit code, standard output,
 * and standard error. There is one request at a time because Hadoop's local runner counts bytes for the whole process.
 */
public final class JobServer {
  /** Replaces System.exit. */
  private static final class Exit extends SecurityException {
    final int code;

    Exit(int code) {
      super("exit " + code);
      this.code = code;
    }
  }

  /** Remembers a request's first exit code, because drivers that catch the exception call System.exit again. */
  @SuppressWarnings("removal")
  private static final class Trap extends SecurityManager {
    volatile Exit first;

    @Override
    public void checkExit(int code) {
      if (first == null) {
        first = new Exit(code);
      }
      throw first;
    }

    @Override
    public void checkPermission(Permission p) {}

    @Override
    public void checkPermission(Permission p, Object context) {}
  }

  @SuppressWarnings("removal")
  public static void main(String[] args) throws Exception {
    PrintStream answers = System.out;
    if (args.length > 0) {
      Configuration.addDefaultResource(args[0]);
    }
    System.setOut(System.err);
    Trap trap = new Trap();
    System.setSecurityManager(trap);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split(" ", -1);
      String[] rest = new String[words.length - 1];
      for (int i = 0; i < rest.length; i++) {
        rest[i] = new String(Base64.getDecoder().decode(words[i + 1]), StandardCharsets.UTF_8);
      }
      String main = new String(Base64.getDecoder().decode(words[0]), StandardCharsets.UTF_8);
      // Local files' checksums would count as bytes written, so a job must request them.
      FileSystem.getLocal(new Configuration()).setWriteChecksum(false);
      FileSystem.clearStatistics();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      PrintStream oldErr = System.err;
      System.setOut(new PrintStream(out, true, "UTF-8"));
      System.setErr(new PrintStream(err, true, "UTF-8"));
      trap.first = null;
      int code = run(main, rest, trap);
      System.out.flush();
      System.err.flush();
      System.setErr(oldErr);
      Base64.Encoder e = Base64.getEncoder();
      answers.println(code + " " + e.encodeToString(out.toByteArray()) + " " + e.encodeToString(err.toByteArray()));
      answers.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  private static int run(String main, String[] args, Trap trap) {
    try {
      Class.forName(main).getMethod("main", String[].class).invoke(null, (Object) args);
    } catch (InvocationTargetException e) {
      if (trap.first == null) {
        e.getCause().printStackTrace();
        return 1; // like the java command
      }
    } catch (Throwable e) {
      e.printStackTrace();
      return 1;
    }
    return trap.first == null ? 0 : trap.first.code;
  }
}

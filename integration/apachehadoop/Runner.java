import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.security.Permission;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Runs main classes one after another in one process. A request is a list of strings: the standard input, the class, and its
 * arguments. The answer is the exit code, the standard output, and the standard error. Numbers are big-endian. A string is a
 * 4-byte length and its bytes.
 */
public class Runner {
    /** The first exit code that the current class passed to System.exit. */
    static Integer exit;

    /** Replaces System.exit. Drivers print every exception that they catch, but this one prints nothing. */
    static class Exit extends SecurityException {
        @Override public void printStackTrace(PrintStream s) { }
    }

    static class NoExit extends SecurityManager {
        @Override public void checkExit(int code) {
            if (exit == null) {
                exit = code;
            }
            throw new Exit();
        }
        @Override public void checkPermission(Permission p) { }
        @Override public void checkPermission(Permission p, Object context) { }
    }

    public static void main(String[] args) throws Exception {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
        System.setSecurityManager(new NoExit());
        org.slf4j.LoggerFactory.getLogger("runner"); // the log keeps using the current standard error
        while (true) {
            byte[][] request;
            try {
                request = new byte[in.readInt()][];
            } catch (EOFException e) {
                Runtime.getRuntime().halt(0);
                return;
            }
            for (int i = 0; i < request.length; i++) {
                request[i] = new byte[in.readInt()];
                in.readFully(request[i]);
            }
            ByteArrayOutputStream stdout = new ByteArrayOutputStream(), stderr = new ByteArrayOutputStream();
            System.setIn(new ByteArrayInputStream(request[0]));
            PrintStream o = new PrintStream(stdout, true), e = new PrintStream(stderr, true);
            System.setOut(o);
            System.setErr(e);
            exit = null;
            int code = run(request);
            if (exit != null) {
                code = exit;
            }
            o.flush();
            e.flush();
            out.writeInt(code);
            for (ByteArrayOutputStream s : new ByteArrayOutputStream[] {stdout, stderr}) {
                out.writeInt(s.size());
                s.writeTo(out);
            }
            out.flush();
        }
    }

    static int run(byte[][] request) {
        String[] args = new String[request.length - 2];
        for (int i = 0; i < args.length; i++) {
            args[i] = new String(request[i + 2], StandardCharsets.UTF_8);
        }
        try {
            Class<?> c = Class.forName(new String(request[1], StandardCharsets.UTF_8));
            if (Tool.class.isAssignableFrom(c)) {
                return ToolRunner.run(new Configuration(), (Tool) c.getDeclaredConstructor().newInstance(), args);
            }
            c.getMethod("main", String[].class).invoke(null, (Object) args);
            return 0;
        } catch (InvocationTargetException e) {
            return failed(e.getCause());
        } catch (Throwable e) {
            return failed(e);
        }
    }

    static int failed(Throwable e) {
        e.printStackTrace();
        return 1;
    }
}

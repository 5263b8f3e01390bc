import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Hadoop's local file system, except that it reads and sets permissions without running ls and chmod each time. */
public final class QuickLocal extends LocalFileSystem {
  public QuickLocal() {
    super(new Raw());
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path p, FsPermission permission) throws IOException {
      String bits = permission.toString().substring(0, 9).replace('t', 'x').replace('T', '-');
      Files.setPosixFilePermissions(pathToFile(p).toPath(), PosixFilePermissions.fromString(bits));
    }

    /** Lists by name, like HDFS. Otherwise, the order would be that of the directory on disk. */
    @Override
    public FileStatus[] listStatus(Path p) throws IOException {
      FileStatus[] all = super.listStatus(p);
      Arrays.sort(all);
      return all;
    }

    @Override
    public FileStatus getFileStatus(Path p) throws IOException {
      File f = pathToFile(p);
      if (!f.exists()) {
        return super.getFileStatus(p);
      }
      PosixFileAttributes a = Files.readAttributes(f.toPath(), PosixFileAttributes.class);
      FsPermission permission = FsPermission.valueOf("-" + PosixFilePermissions.toString(a.permissions()));
      return new FileStatus(a.isDirectory() ? 0 : a.size(), a.isDirectory(), 1, getDefaultBlockSize(p), a.lastModifiedTime().toMillis(),
          a.lastAccessTime().toMillis(), permission, a.owner().getName(), a.group().getName(), p.makeQualified(getUri(), getWorkingDirectory()));
    }
  }
}

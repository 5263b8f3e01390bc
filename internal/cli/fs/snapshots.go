package fs

import "github.com/howdah/howdah/dfs"

// snapshotDir returns the directory to which a snapshot command applies, and its file system.
func (s *shell) snapshotDir(arg string) (dfs.Snapshotter, *item, error) {
	i, err := s.resolve(arg)
	if err != nil {
		return nil, nil, err
	}
	n, ok := i.fs.(dfs.Snapshotter)
	if !ok {
		return nil, nil, pathError(arg, i.fs.Scheme()+": does not support snapshots")
	}
	return n, i, nil
}

func createSnapshot(s *shell, _ options, args []string) error {
	switch {
	case len(args) == 0:
		return usageError("<snapshotDir> is missing.")
	case len(args) > 2:
		return usagef("args number not 1 or 2: %d", len(args))
	}
	n, i, err := s.snapshotDir(args[0])
	if err != nil {
		return err
	}
	name := ""
	if len(args) > 1 {
		name = args[1]
	}
	made, err := n.CreateSnapshot(s.ctx, i.path, name)
	if err != nil {
		return explain(i.shown, err)
	}
	s.printf("Created snapshot %s\n", made)
	return nil
}

func deleteSnapshot(s *shell, _ options, args []string) error {
	if len(args) != 2 {
		return usagef("args number not 2: %d", len(args))
	}
	n, i, err := s.snapshotDir(args[0])
	if err != nil {
		return err
	}
	if err := n.DeleteSnapshot(s.ctx, i.path, args[1]); err != nil {
		return explain(i.shown, err)
	}
	s.printf("Deleted snapshot %s under %s\n", args[1], i.uri())
	return nil
}

func renameSnapshot(s *shell, _ options, args []string) error {
	if len(args) != 3 {
		return usagef("args number not 3: %d", len(args))
	}
	n, i, err := s.snapshotDir(args[0])
	if err != nil {
		return err
	}
	if err := n.RenameSnapshot(s.ctx, i.path, args[1], args[2]); err != nil {
		return explain(i.shown, err)
	}
	s.printf("Renamed snapshot %s to %s under %s\n", args[1], args[2], i.uri())
	return nil
}

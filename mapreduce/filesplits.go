package mapreduce

import "context"

// FileSplits splits a job's input files like TextInput. Custom file formats call it in Splits. It
// does not split files for which splittable returns false. A nil splittable means that every file
// can be split.
func FileSplits(ctx context.Context, env *Env, splittable func(name string) bool) ([]Split, error) {
	return fileSplits(ctx, env, splittable)
}

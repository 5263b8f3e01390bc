package mapreduce

import "context"

// FileSplits cuts the files of a job's input as TextInput does; an author's own file format uses it for its Splits. Files
// for which splittable is false are never cut; nil cuts all.
func FileSplits(ctx context.Context, env *Env, splittable func(name string) bool) ([]Split, error) {
	return fileSplits(ctx, env, splittable)
}

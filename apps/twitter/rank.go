package twitter

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/steps"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Rank returns the application that ranks users. Lines of input are "I BLANK J" (I follows J) and
// "tweet BLANK I BLANK text…" (I wrote something), in any order. A user's score is followers * (1 +
// tweets). The output is "SCORE TAB USER TAB FOLLOWERS TAB TWEETS", highest score first, then by
// user number.
func Rank() *mapreduce.App {
	score := &mapreduce.Job{
		Name:     "twitter-score",
		Mapper:   mapreduce.MapFunc(mention),
		Combiner: mapreduce.ReduceFunc(merge),
		Reducer:  mapreduce.ReduceFunc(rate),
	}
	order := &mapreduce.Job{
		Name:    "twitter-order",
		Mapper:  mapreduce.MapFunc(byScore),
		Reducer: mapreduce.ReduceFunc(list),
		Conf:    map[string]string{conf.JobReduces.Name: "1"},
	}
	return &mapreduce.App{
		Name:  "twitter-rank",
		Short: "ranks users by their followers and tweets",
		Usage: "<in>… <out>",
		Jobs:  []*mapreduce.Job{score, order},
		Run: func(ctx context.Context, r mapreduce.Runner, args []string) error {
			if len(args) < 2 {
				return failure.New(failure.Usage, "twitter-rank", "", errors.New("want at least one input and an output"))
			}
			s, err := steps.Begin(ctx, r, "twitter-rank", args[len(args)-1])
			if err != nil {
				return err
			}
			defer s.End()
			scores, _, err := s.Middle(ctx, score, strings.Join(args[:len(args)-1], ","), nil)
			if err != nil {
				return err
			}
			_, err = s.Final(ctx, order, scores, nil)
			return err
		},
	}
}

const tweetMark = "tweet"

// mention emits each user in a line as a key. The value contains the numbers of followers and
// tweets that the line adds to the user.
func mention(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[int64, string]) error {
	if rest, ok := strings.CutPrefix(line, tweetMark+" "); ok {
		user, _, _ := strings.Cut(rest, " ")
		id, err := strconv.ParseInt(user, 10, 64)
		if err != nil || id < 0 {
			return fmt.Errorf("%q is not a user", user)
		}
		out.Emit(id, "0 1")
		return nil
	}
	from, to, ok, err := edge(line)
	if err != nil || !ok {
		return err
	}
	out.Emit(from, "0 0") // makes the output include users without followers
	if from != to {
		out.Emit(to, "1 0")
	}
	return nil
}

func add(marks iter.Seq[string]) (followers, tweets int64, err error) {
	for m := range marks {
		a, b, _ := strings.Cut(m, " ")
		x, err := strconv.ParseInt(a, 10, 64)
		if err != nil {
			return 0, 0, err
		}
		y, err := strconv.ParseInt(b, 10, 64)
		if err != nil {
			return 0, 0, err
		}
		followers, tweets = followers+x, tweets+y
	}
	return followers, tweets, nil
}

func merge(_ *mapreduce.Context, user int64, marks iter.Seq[string], out *mapreduce.Out[int64, string]) error {
	f, t, err := add(marks)
	out.Emit(user, fmt.Sprintf("%d %d", f, t))
	return err
}

func rate(_ *mapreduce.Context, user int64, marks iter.Seq[string], out *mapreduce.Out[int64, string]) error {
	f, t, err := add(marks)
	out.Emit(f*(1+t), fmt.Sprintf("%d\t%d\t%d", user, f, t))
	return err
}

// byScore emits each line under a key whose text order is by descending score and then by user
// number.
func byScore(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
	var score, user, followers, tweets int64
	if _, err := fmt.Sscan(line, &score, &user, &followers, &tweets); err != nil {
		return fmt.Errorf("%q is not a score: %w", line, err)
	}
	out.Emit(fmt.Sprintf("%019d %019d", math.MaxInt64-score, user), line)
	return nil
}

// list writes the lines of the first job in their new order.
func list(_ *mapreduce.Context, _ string, lines iter.Seq[string], out *mapreduce.Out[string, mapreduce.Null]) error {
	for l := range lines {
		out.Emit(l, mapreduce.Null{})
	}
	return out.Err()
}

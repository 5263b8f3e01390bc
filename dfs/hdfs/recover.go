package hdfs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// recover sets up a pipeline and sends the packets that its nodes lack. why is the failure of the
// previous pipeline, or nil for the first pipeline.
func (o *output) recover(why error) error {
	for {
		if err := o.w.ctx.Err(); err != nil {
			return err
		}
		if why != nil {
			o.tries++
			o.blame(why)
			if o.tries > o.w.fs.o.Pipelines {
				return o.lost(fmt.Errorf("%d pipelines failed; the last error: %w", o.tries, why))
			}
		}
		err := o.pipeline(why)
		if err == nil {
			return nil
		}
		var broken *transfer.PipelineError
		if !errors.As(err, &broken) {
			return err
		}
		why = broken
	}
}

func (o *output) lost(why error) error {
	return failure.New(failure.IO, "write", o.w.name, fmt.Errorf("block %s: %w", describe(o.located), why)).
		Fix("check that the DataNodes are running and have space")
}

// blame closes the pipeline, which failed with why, and excludes the nodes that caused the failure.
func (o *output) blame(why error) {
	o.leave()
	var p *transfer.PipelineError
	if !errors.As(why, &p) || len(o.located.Nodes) == 0 {
		return
	}
	bad := []transfer.DataNode{}
	if p.Bad >= 0 && p.Bad < len(o.located.Nodes) {
		bad = append(bad, o.located.Nodes[p.Bad])
	} else {
		bad = o.silent()
	}
	for _, d := range bad {
		o.failed[d.UUID] = true
		o.w.fs.avoided.add(d)
		o.w.fs.o.Log(fmt.Sprintf("write %s: block %d: DataNode %s:%d: %v; continuing without it",
			o.w.name, o.located.Block.ID, d.Host, d.Port, why))
	}
}

// probeLimit is the maximum time to wait for answers from a pipeline's nodes when one of them
// hangs.
const probeLimit = 5 * time.Second

// silent returns the nodes of the pipeline that do not answer. If all answer, it returns the first
// node.
func (o *output) silent() []transfer.DataNode {
	fs := o.w.fs
	ctx, cancel := context.WithTimeout(o.w.ctx, min(probeLimit, fs.data.Timeout()))
	defer cancel()
	answers := make([]chan bool, len(o.located.Nodes))
	for i, d := range o.located.Nodes {
		answers[i] = make(chan bool, 1)
		go func() { answers[i] <- fs.data.Answers(ctx, o.located, d) }()
	}
	var out []transfer.DataNode
	for i, d := range o.located.Nodes {
		if !<-answers[i] {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		out = o.located.Nodes[:1:1]
	}
	return out
}

// pipeline sets up the next pipeline. why is the failure of the previous one, or nil. If it returns
// a *transfer.PipelineError, another attempt might succeed.
func (o *output) pipeline(why error) error {
	left := o.survivors()
	switch {
	case len(o.located.Nodes) == 0:
		return o.startOver()
	case o.whole() && (!o.synced || len(left) == 0):
		// A rewritten block gets its full replication.
		if err := o.abandon(o.w.ctx); err != nil {
			return err
		}
		return o.startOver()
	case len(left) > 0:
		return o.goOn(left)
	}
	return o.lost(fmt.Errorf("all its DataNodes failed, and its first packets are no longer in memory: %w", why))
}

// survivors returns the indices of the pipeline's nodes that have not failed.
func (o *output) survivors() []int {
	var left []int
	for i, d := range o.located.Nodes {
		if !o.failed[d.UUID] {
			left = append(left, i)
		}
	}
	return left
}

// abandon closes the pipeline and makes the NameNode remove the block from the file.
func (o *output) abandon(ctx context.Context) error {
	o.leave()
	if len(o.located.Nodes) == 0 {
		return nil
	}
	err := o.w.fs.nn.AbandonBlock(ctx, o.w.path, o.w.id, o.located.Block)
	if err == nil {
		o.located, o.failed = transfer.Located{}, map[string]bool{}
	}
	return err
}

// startOver allocates a block and sends all packets to it.
func (o *output) startOver() error {
	if err := o.allocate(); err != nil {
		return err
	}
	o.from = 0
	return o.connect(transfer.Setup{Located: o.located, Stage: transfer.StageCreate}, o.packets)
}

func (o *output) connect(s transfer.Setup, packets []*transfer.Packet) error {
	s.Checksum, s.Window = o.w.fs.o.Checksum, max(minWindow, windowBytes/o.w.fs.o.PacketSize)
	s.First = o.from
	p, err := o.w.fs.data.Write(o.w.ctx, s)
	if err != nil {
		return err
	}
	o.pipe = p
	for _, k := range packets {
		if err := p.Send(k); err != nil {
			return err
		}
	}
	return nil
}

// allocate requests a block from the NameNode. While the NameNode waits for replicas of the
// previous block, allocate retries for up to completeLimit. If the NameNode finds no other nodes,
// allocate stops avoiding those that failed.
func (o *output) allocate() error {
	w := o.w
	pause := completeFirst
	for end := time.Now().Add(completeLimit); ; {
		avoid := w.fs.avoided.list()
		l, err := w.fs.nn.AddBlock(w.ctx, w.path, w.id, w.last, avoid)
		switch {
		case err == nil:
			o.located = l
			return nil
		case time.Now().After(end):
			return err
		case is(err, "NotReplicatedYetException"):
		case len(avoid) > 0 && strings.Contains(err.Error(), tooFewNodes):
			w.fs.avoided.clear() // retry a failed node rather than give up
		default:
			return err
		}
		if err := lifecycle.Sleep(w.ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, completeMax)
	}
}

// tooFewNodes is a part of the NameNode's error text if it finds no node for a block.
const tooFewNodes = "could only be written to 0 of the"

// goOn continues the block, in a new generation, on the nodes whose indices are in left. It sends
// the unacknowledged packets.
func (o *output) goOn(left []int) error {
	w := o.w
	fresh, err := w.fs.nn.NewGeneration(w.ctx, o.located.Block)
	if err != nil {
		return err
	}
	l := keep(o.located, left)
	l.Token = fresh.Token
	rest, min := o.unacknowledged()
	s := transfer.Setup{Located: l, Stage: transfer.StageRecovery, Generation: fresh.Block.Generation, MinReceived: min,
		MaxReceived: o.sent}
	s.Block.Size = min
	if o.ending {
		// The nodes finish the block as it is. There is no last packet to send.
		s.Stage, rest = transfer.StageCloseRecovery, nil
		s.Block.Size, s.MinReceived = o.size, o.size
	}
	o.located = l // later errors identify nodes by their index in l.Nodes
	if err := o.connect(s, nil); err != nil {
		return err
	}
	now := l.Block
	now.Generation = fresh.Block.Generation
	now.Size = s.MinReceived
	if err := w.fs.nn.UpdatePipeline(w.ctx, l.Block, now, l.Nodes, l.StorageIDs); err != nil {
		return err
	}
	o.located.Block = now
	for _, k := range rest {
		if err := o.pipe.Send(k); err != nil {
			return err
		}
	}
	return nil
}

// unacknowledged returns the packets that some node may lack, and the number of bytes before them
// in the block.
func (o *output) unacknowledged() ([]*transfer.Packet, int64) {
	i := 0
	for i < len(o.packets) && o.packets[i].Seq < o.from {
		i++
	}
	if i == len(o.packets) {
		return nil, o.sent
	}
	return o.packets[i:], min(o.packets[i].Offset, o.sent)
}

// keep returns l with only the nodes at the given indices.
func keep(l transfer.Located, nodes []int) transfer.Located {
	out := l
	out.Nodes, out.StorageIDs, out.Storages = nil, nil, nil
	for _, i := range nodes {
		out.Nodes = append(out.Nodes, l.Nodes[i])
		if len(l.StorageIDs) == len(l.Nodes) {
			out.StorageIDs = append(out.StorageIDs, l.StorageIDs[i])
		}
		if len(l.Storages) == len(l.Nodes) {
			out.Storages = append(out.Storages, l.Storages[i])
		}
	}
	return out
}

package mapreduce

import "io"

// splitFiles iterates over the chunks of a split for formats with file headers. It keeps only one
// file open at a time.
type splitFiles struct {
	c     *Context
	split *Split
	chunk int // index of the next chunk
	file  *countedFile
	done  int64 // total bytes of the previous chunks
}

// open closes the current file and opens the file of the next chunk. After the last chunk, it
// returns io.EOF.
func (s *splitFiles) open() (Chunk, error) {
	if s.file != nil {
		s.done += s.split.Chunks[s.chunk-1].Length
		if err := s.Close(); err != nil {
			return Chunk{}, err
		}
	}
	if s.chunk == len(s.split.Chunks) {
		return Chunk{}, io.EOF
	}
	ch := s.split.Chunks[s.chunk]
	s.chunk++
	s.c.SetInputFile(ch.Path)
	var err error
	s.file, err = openCounted(s.c, ch.Path)
	return ch, err
}

// share returns the fraction of the split that has been read if the reader is at position in the
// open file.
func (s *splitFiles) share(position int64) float32 {
	if s.split.Length <= 0 {
		return 0
	}
	done := s.done
	if s.file != nil {
		ch := s.split.Chunks[s.chunk-1]
		done += min(max(position-ch.Start, 0), ch.Length)
	}
	return min(float32(float64(done)/float64(s.split.Length)), 1)
}

func (s *splitFiles) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

package pipe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vsh-project/vsh/internal/budget"
)

func TestEverythingArrivesInOrder(t *testing.T) {
	for _, size := range []int{1, 100, First, First + 1, Capacity, Capacity*3 + 7} {
		p := New(nil)
		want := make([]byte, 300_000)
		for i := range want {
			want[i] = byte(i * 7)
		}
		go func() {
			for b := want; len(b) > 0; {
				n := min(size, len(b))
				if m, err := p.Write(context.Background(), b[:n]); m != n || err != nil {
					t.Errorf("write %d: %d, %v", n, m, err)
				}
				b = b[n:]
			}
			p.CloseWrite()
		}()
		var got []byte
		block := make([]byte, 5000)
		for i := 0; ; i++ {
			var n int
			var err error
			if i%2 == 0 {
				n, err = p.Read(context.Background(), block)
				got = append(got, block[:n]...)
			} else {
				var b []byte
				b, err = p.Peek(context.Background())
				n = min(len(b), 333)
				got = append(got, b[:n]...)
				p.Discard(n)
			}
			if err == io.EOF {
				break
			}
			if err != nil || n == 0 {
				t.Fatal(n, err)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("writes of %d: the bytes differ", size)
		}
	}
}

func TestAWriterWithoutReaderGetsEPIPE(t *testing.T) {
	p := New(nil)
	done := make(chan error)
	go func() {
		_, err := p.Write(context.Background(), make([]byte, Capacity*2))
		done <- err
	}()
	time.Sleep(time.Millisecond)
	p.CloseRead()
	if err := <-done; !errors.Is(err, syscall.EPIPE) {
		t.Errorf("a blocked write ended with %v", err)
	}
	if n, err := p.Write(context.Background(), []byte("x")); n != 0 || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("a later write: %d, %v", n, err)
	}
}

func TestCancellationEndsBothSides(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	reading, writing := New(nil), New(nil)
	var group sync.WaitGroup
	group.Add(2)
	go func() {
		defer group.Done()
		if _, err := reading.Read(ctx, make([]byte, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("read: %v", err)
		}
	}()
	go func() {
		defer group.Done()
		if n, err := writing.Write(ctx, make([]byte, Capacity+1)); !errors.Is(err, context.Canceled) || n != Capacity {
			t.Errorf("write: %d, %v", n, err)
		}
	}()
	time.Sleep(time.Millisecond)
	cancel()
	group.Wait()
}

func TestTheRingIsChargedAndGivenBack(t *testing.T) {
	b := budget.New(1 << 20)
	p := New(b)
	p.Write(context.Background(), make([]byte, 100))
	if b.Used() != First {
		t.Errorf("after a small write %d bytes are charged", b.Used())
	}
	p.Write(context.Background(), make([]byte, Capacity-100))
	if b.Used() != Capacity {
		t.Errorf("a full pipe is charged %d", b.Used())
	}
	p.CloseWrite()
	p.CloseRead()
	if b.Used() != 0 {
		t.Errorf("%d bytes stay charged", b.Used())
	}
	small := New(budget.New(10))
	if _, err := small.Write(context.Background(), []byte("x")); err == nil {
		t.Error("a write past the budget succeeded")
	}
}

// crowded is an account without space for what grows.
type crowded struct{ *budget.Budget }

func (crowded) Spacious(int64) bool { return false }

func TestAPipeWithoutSpaceStaysAtItsFirstRing(t *testing.T) {
	b := budget.New(1 << 20)
	p := New(crowded{b})
	want := bytes.Repeat([]byte("0123456789abcdef"), Capacity/8)
	go func() {
		p.Write(context.Background(), want)
		p.CloseWrite()
	}()
	var got []byte
	block := make([]byte, 5000)
	for {
		n, err := p.Read(context.Background(), block)
		got = append(got, block[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, want) {
		t.Error("the bytes differ")
	}
	if b.Peak() != First {
		t.Errorf("%d bytes were charged", b.Peak())
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{100, 4 << 10, 64 << 10} {
		b.Run(byteName(size), func(b *testing.B) {
			p := New(nil)
			go func() {
				block := make([]byte, 32<<10)
				for {
					if _, err := p.Read(context.Background(), block); err != nil {
						return
					}
				}
			}()
			data := make([]byte, size)
			b.SetBytes(int64(size))
			for b.Loop() {
				p.Write(context.Background(), data)
			}
			p.CloseWrite()
		})
	}
}

func byteName(n int) string {
	if n < 1000 {
		return "100B"
	}
	if n < 10000 {
		return "4KiB"
	}
	return "64KiB"
}

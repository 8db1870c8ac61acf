package diff

import (
	"context"
	"math"
)

// comparison marks the changed lines of both files.
type comparison struct {
	ctx      context.Context
	files    [2]*file
	x, y     []int32
	forward  []int // furthest x on each diagonal, offset by origin
	backward []int
	origin   int
	cost     int // give up looking for the best split after that many steps
}

func (c *comparison) run(minimal bool) error {
	c.x, c.y = c.files[0].kept, c.files[1].kept
	diagonals := len(c.x) + len(c.y) + 3
	c.forward, c.backward = make([]int, diagonals), make([]int, diagonals)
	c.origin = len(c.y) + 1
	c.cost = 1
	for d := diagonals; d != 0; d >>= 2 {
		c.cost <<= 1
	}
	c.cost = max(4096, c.cost)
	return c.compare(0, len(c.x), 0, len(c.y), minimal)
}

// compare marks x[xoff:xlim] against y[yoff:ylim], halving at a point of a
// shortest edit path.
func (c *comparison) compare(xoff, xlim, yoff, ylim int, minimal bool) error {
	for {
		for xoff < xlim && yoff < ylim && c.x[xoff] == c.y[yoff] {
			xoff++
			yoff++
		}
		for xoff < xlim && yoff < ylim && c.x[xlim-1] == c.y[ylim-1] {
			xlim--
			ylim--
		}
		if xoff == xlim {
			for ; yoff < ylim; yoff++ {
				c.files[1].changed[c.files[1].real[yoff]+1] = true
			}
			return nil
		}
		if yoff == ylim {
			for ; xoff < xlim; xoff++ {
				c.files[0].changed[c.files[0].real[xoff]+1] = true
			}
			return nil
		}
		p, err := c.split(xoff, xlim, yoff, ylim, minimal)
		if err != nil {
			return err
		}
		if err := c.compare(xoff, p.x, yoff, p.y, p.lowMinimal); err != nil {
			return err
		}
		xoff, yoff, minimal = p.x, p.y, p.highMinimal
	}
}

// partition is where to halve, and whether each half must be minimal.
type partition struct {
	x, y                    int
	lowMinimal, highMinimal bool
}

// split finds the middle of a shortest path by going forward from the start
// and backward from the end until the two meet.
func (c *comparison) split(xoff, xlim, yoff, ylim int, minimal bool) (partition, error) {
	fd, bd, o := c.forward, c.backward, c.origin
	dmin, dmax := xoff-ylim, xlim-yoff
	fmid, bmid := xoff-yoff, xlim-ylim
	fmin, fmax, bmin, bmax := fmid, fmid, bmid, bmid
	odd := (fmid-bmid)&1 != 0
	fd[o+fmid], bd[o+bmid] = xoff, xlim
	for steps := 1; ; steps++ {
		if steps&63 == 0 {
			if err := c.ctx.Err(); err != nil {
				return partition{}, err
			}
		}
		if fmin > dmin {
			fmin--
			fd[o+fmin-1] = -1
		} else {
			fmin++
		}
		if fmax < dmax {
			fmax++
			fd[o+fmax+1] = -1
		} else {
			fmax--
		}
		for d := fmax; d >= fmin; d -= 2 {
			low, high := fd[o+d-1], fd[o+d+1]
			x := high
			if low >= high {
				x = low + 1
			}
			y := x - d
			for x < xlim && y < ylim && c.x[x] == c.y[y] {
				x++
				y++
			}
			fd[o+d] = x
			if odd && bmin <= d && d <= bmax && bd[o+d] <= x {
				return partition{x, y, true, true}, nil
			}
		}
		if bmin > dmin {
			bmin--
			bd[o+bmin-1] = math.MaxInt
		} else {
			bmin++
		}
		if bmax < dmax {
			bmax++
			bd[o+bmax+1] = math.MaxInt
		} else {
			bmax--
		}
		for d := bmax; d >= bmin; d -= 2 {
			low, high := bd[o+d-1], bd[o+d+1]
			x := low
			if low >= high {
				x = high - 1
			}
			y := x - d
			for xoff < x && yoff < y && c.x[x-1] == c.y[y-1] {
				x--
				y--
			}
			bd[o+d] = x
			if !odd && fmin <= d && d <= fmax && x <= fd[o+d] {
				return partition{x, y, true, true}, nil
			}
		}
		if !minimal && steps >= c.cost {
			return c.furthest(xoff, xlim, yoff, ylim, fmin, fmax, bmin, bmax), nil
		}
	}
}

// furthest halves where one of the two searches has come furthest.
func (c *comparison) furthest(xoff, xlim, yoff, ylim, fmin, fmax, bmin, bmax int) partition {
	best, bestX := -1, 0
	for d := fmax; d >= fmin; d -= 2 {
		x := min(c.forward[c.origin+d], xlim)
		y := x - d
		if ylim < y {
			x, y = ylim+d, ylim
		}
		if best < x+y {
			best, bestX = x+y, x
		}
	}
	back, backX := math.MaxInt, 0
	for d := bmax; d >= bmin; d -= 2 {
		x := max(xoff, c.backward[c.origin+d])
		y := x - d
		if y < yoff {
			x, y = yoff+d, yoff
		}
		if x+y < back {
			back, backX = x+y, x
		}
	}
	if xlim+ylim-back < best-(xoff+yoff) {
		return partition{bestX, best - bestX, true, false}
	}
	return partition{backX, back - backX, false, true}
}

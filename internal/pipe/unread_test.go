package pipe

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnreadComesBackFirst(t *testing.T) {
	ctx := context.Background()
	p := New(nil)
	all := bytes.Repeat([]byte("0123456789abcdef"), Capacity/16)
	n, err := p.Write(ctx, all)
	require.NoError(t, err)
	require.Equal(t, Capacity, n)
	first := make([]byte, 1000)
	n, err = p.Read(ctx, first)
	require.NoError(t, err)
	_, err = p.Write(ctx, []byte("tail"))
	require.NoError(t, err)
	require.NoError(t, p.Unread(first[:n]))
	p.CloseWrite()
	var got []byte
	block := make([]byte, 777)
	for {
		n, err := p.Read(ctx, block)
		got = append(got, block[:n]...)
		if err != nil {
			break
		}
	}
	require.Equal(t, string(all)+"tail", string(got))
}

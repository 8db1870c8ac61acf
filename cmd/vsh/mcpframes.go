package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maximumFrame bounds one message of a client, maximumFrameDepth its nesting.
	maximumFrame      = 16 << 20
	maximumFrameDepth = 900
	// maximumID is the largest integer that every reader of JSON keeps.
	maximumID = 1<<53 - 1
	// drainGrace is what calls get to end by themselves when the client has
	// closed its side, and again when they were told to.
	drainGrace = 1500 * time.Millisecond
)

// frames stands between a client's lines and the SDK, whose connection ends at
// the first line that is no message and drops what is unanswered when its input
// ends. A line that is no message is answered here with JSON-RPC's error, and
// the end of the input is passed on when every request has its answer.
type frames struct {
	in  *bufio.Reader
	out io.Writer
	// stop ends the calls that are running.
	stop func()

	rest    []byte // of a line that was accepted
	batches bool   // the version of the protocol that was agreed on has them

	writing sync.Mutex // out
	mu      sync.Mutex
	// pending are the requests without an answer, by their id; true when the
	// client has cancelled it and so expects none.
	pending map[string]bool
	idle    chan struct{} // told when pending has become empty
}

func newFrames(in io.Reader, out io.Writer, stop func()) *frames {
	return &frames{in: bufio.NewReaderSize(in, 64<<10), out: out, stop: stop, pending: make(map[string]bool), idle: make(chan struct{}, 1)}
}

func (f *frames) Close() error { return nil }

// Read gives the SDK the lines that are messages.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, scan, err := f.line()
		if err != nil {
			f.drain()
			return 0, err
		}
		f.rest = f.accept(line, scan)
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// line is the next line with its end; it is nil when it is too long, and then
// scan alone has seen it.
func (f *frames) line() (line []byte, scan *envelopeScan, err error) {
	scan = new(envelopeScan)
	for {
		part, err := f.in.ReadSlice('\n')
		scan.feed(part)
		if scan.size <= maximumFrame {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0:
			return append(line, '\n'), scan, nil
		}
		return line, scan, err
	}
}

// accept is what the SDK gets of a line; what is wrong with the rest is answered.
func (f *frames) accept(line []byte, scan *envelopeScan) []byte {
	text := bytes.TrimSpace(line)
	id := scan.id
	if !validID(id) {
		id = nil
	}
	switch {
	case line == nil:
		f.refuse(id, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d bytes", maximumFrame))
		return nil
	case len(text) == 0:
		return nil
	case scan.deepest > maximumFrameDepth:
		f.refuse(id, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is nested deeper than %d", maximumFrameDepth))
		return nil
	case !json.Valid(text):
		f.refuse(nil, jsonrpc.CodeParseError, "a line is no JSON text")
		return nil
	case text[0] == '[':
		return f.acceptBatch(text)
	}
	if !f.note(text) {
		return nil
	}
	return line
}

// acceptBatch takes notifications out of a batch, since the SDK waits for their
// answers, and refuses the whole of it when a part is wrong.
func (f *frames) acceptBatch(text []byte) []byte {
	var parts []json.RawMessage
	switch err := json.Unmarshal(text, &parts); {
	case err != nil || len(parts) == 0:
		f.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch is empty")
		return nil
	case !f.batches:
		f.refuse(nil, jsonrpc.CodeInvalidRequest, "this version of the protocol has no batches")
		return nil
	}
	var lines []byte
	var requests []json.RawMessage
	for _, part := range parts {
		if !f.note(part) {
			continue
		}
		if envelope, _ := readEnvelope(part); envelope.isRequest() {
			requests = append(requests, part)
		} else {
			lines = append(append(lines, part...), '\n')
		}
	}
	if len(requests) > 0 {
		batch, _ := json.Marshal(requests) // they are valid
		lines = append(append(lines, batch...), '\n')
	}
	return lines
}

// note remembers what a message means for the answers; false says that it is
// none, and that this has been answered.
func (f *frames) note(text []byte) bool {
	m, err := readEnvelope(text)
	if err != nil {
		var id []byte
		if validID(m.id) {
			id = m.id
		}
		f.refuse(id, jsonrpc.CodeInvalidRequest, err.Error())
		return false
	}
	if m.isRequest() {
		key := idKey(m.id)
		f.mu.Lock()
		_, taken := f.pending[key]
		if !taken {
			f.pending[key] = false
		}
		f.mu.Unlock()
		if taken {
			// The answer bears no id, for the one of it belongs to the other.
			f.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the id %s is that of a request without an answer yet", m.id))
			return false
		}
	}
	switch m.method {
	case "initialize":
		var params struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		json.Unmarshal(m.params, &params)
		f.batches = params.ProtocolVersion == "2024-11-05" || params.ProtocolVersion == "2025-03-26"
	case "notifications/cancelled":
		var params struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		json.Unmarshal(m.params, &params)
		key := idKey(params.RequestID)
		f.mu.Lock()
		if _, running := f.pending[key]; running {
			f.pending[key] = true
		}
		f.mu.Unlock()
	}
	return true
}

// refuse answers what is no message.
func (f *frames) refuse(id []byte, code int, why string) {
	if id == nil {
		id = []byte("null")
	}
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   fault           `json:"error"`
	}{"2.0", id, fault{code, why}})
	if err != nil {
		return
	}
	f.writing.Lock()
	defer f.writing.Unlock()
	// Who does not read any more will not miss it.
	f.out.Write(append(text, '\n'))
}

// Write passes the SDK's messages on, one or a batch at a time.
func (f *frames) Write(p []byte) (int, error) {
	var answered []string
	if bytes.HasPrefix(p, []byte("[")) {
		var parts []json.RawMessage
		json.Unmarshal(p, &parts)
		for _, part := range parts {
			scan := new(envelopeScan)
			scan.feed(part)
			answered = append(answered, idKey(scan.id))
		}
	} else {
		scan := new(envelopeScan)
		scan.feed(p)
		if !scan.method {
			answered = append(answered, idKey(scan.id))
		}
	}
	f.mu.Lock()
	unwanted := len(answered) == 1 && f.pending[answered[0]]
	f.mu.Unlock()
	n, err := len(p), error(nil)
	if !unwanted {
		f.writing.Lock()
		n, err = f.out.Write(p)
		f.writing.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range answered {
		delete(f.pending, key)
	}
	if len(f.pending) == 0 {
		select {
		case f.idle <- struct{}{}:
		default:
		}
	}
	return n, err
}

// drain waits until every request has been answered, and has what runs longer
// than the grace ended.
func (f *frames) drain() {
	for _, last := range [...]bool{false, true} {
		deadline := time.NewTimer(drainGrace)
		defer deadline.Stop()
		for waiting := true; waiting; {
			f.mu.Lock()
			left := len(f.pending)
			f.mu.Unlock()
			if left == 0 {
				return
			}
			select {
			case <-f.idle:
			case <-deadline.C:
				waiting = false
			}
		}
		if !last {
			f.stop()
		}
	}
}

// envelope is what is common to all messages.
type envelope struct {
	id, params []byte
	method     string
	isCall     bool
}

func (m envelope) isRequest() bool { return m.isCall && m.id != nil }

// readEnvelope reads a message as strictly as JSON-RPC and the protocol ask; an
// error leaves what could be read.
func readEnvelope(text []byte) (m envelope, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return m, errors.New("a message is a JSON object")
	}
	m.params = members["params"]
	id, hasID := members["id"]
	if hasID {
		m.id = id
	}
	method, isCall := members["method"]
	switch {
	case string(members["jsonrpc"]) != `"2.0"`:
		return m, errors.New(`the member "jsonrpc" is not "2.0"`)
	case hasID && !validID(id):
		return m, fmt.Errorf(`the member "id" is neither a string nor an integer of at most %d`, maximumID)
	case isCall && (len(method) == 0 || method[0] != '"'):
		return m, errors.New(`the member "method" is no string`)
	case !isCall && (!hasID || members["result"] == nil && members["error"] == nil):
		return m, errors.New(`the message has no "method"`)
	}
	if m.isCall = isCall; isCall {
		json.Unmarshal(method, &m.method)
	}
	// The SDK's own reading has the last word, since it would end the connection.
	if _, err := jsonrpc.DecodeMessage(text); err != nil {
		return m, errors.New("the message is not one of JSON-RPC 2.0")
	}
	return m, nil
}

// validID takes strings, and integers that nobody rounds.
func validID(id []byte) bool {
	if len(id) == 0 {
		return false
	}
	if id[0] == '"' {
		return json.Valid(id)
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n >= -maximumID && n <= maximumID
}

// idKey is the same for two spellings of one id.
func idKey(id []byte) string {
	var text string
	if len(id) > 0 && id[0] == '"' && json.Unmarshal(id, &text) == nil {
		return "s" + text
	}
	return "n" + strings.TrimSpace(string(id))
}

// envelopeScan finds the id of a message and how deep it nests, without keeping
// the message or being stopped by what is wrong in it.
type envelopeScan struct {
	size, depth, deepest int
	quoted, escaped      bool
	text                 []byte // the string or scalar that is being read, beside the braces
	name                 []byte // the member's
	id                   []byte
	method               bool // there is a member of this name
}

// maximumIDLength bounds what is kept of a name or an id.
const maximumIDLength = 1000

func (s *envelopeScan) feed(p []byte) {
	s.size += len(p)
	for _, b := range p {
		if s.quoted {
			s.keep(b)
			switch {
			case s.escaped:
				s.escaped = false
			case b == '\\':
				s.escaped = true
			case b == '"':
				s.quoted = false
			}
			continue
		}
		switch b {
		case ' ', '\t', '\r', '\n':
		case '{', '[':
			s.keep(b)
			s.depth++
			s.deepest = max(s.deepest, s.depth)
			if s.depth == 1 {
				s.text = nil
			}
		case '}', ']':
			s.member()
			s.depth--
		case ',':
			s.member()
		case ':':
			if s.depth == 1 {
				s.name, s.text = slices.Clone(s.text), s.text[:0]
			}
		default:
			s.quoted = b == '"'
			s.keep(b)
		}
	}
}

// keep keeps a byte of the outermost object's own text.
func (s *envelopeScan) keep(b byte) {
	if s.depth == 1 && len(s.text) <= maximumIDLength {
		s.text = append(s.text, b)
	}
}

// member ends one of the outermost object's.
func (s *envelopeScan) member() {
	if s.depth != 1 {
		return
	}
	switch string(s.name) {
	case `"id"`:
		if len(s.text) <= maximumIDLength {
			s.id = slices.Clone(s.text)
		}
	case `"method"`:
		s.method = true
	}
	s.name, s.text = s.name[:0], s.text[:0]
}

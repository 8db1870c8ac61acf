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
// the first line that is no message, drops what is unanswered when its input
// ends, and starts calls in no order. A line that is no message is answered here
// with JSON-RPC's error, the end of the input is passed on when every request
// has its answer, and calls of one tool are passed on one after another.
type frames struct {
	in  *bufio.Reader
	out io.Writer
	// ordered is the tool whose calls build on one another.
	ordered string
	// stop ends the calls that are running.
	stop func()

	reading sync.Once
	batches bool       // the version of the protocol that was agreed on has them
	writing sync.Mutex // out

	mu   sync.Mutex
	news *sync.Cond // of what follows
	// pending are the requests without an answer, by their id; true when the
	// client has cancelled it and so expects none.
	pending map[string]bool
	current string // the call of the ordered tool that was passed on, by its id
	held    []heldCall
	ready   [][]byte // lines for the SDK
	end     error    // after them
	closed  bool
}

// heldCall waits for those before it.
type heldCall struct {
	key  string
	line []byte
}

// maximumQueue bounds the lines that are read ahead.
const maximumQueue = 1000

func newFrames(in io.Reader, out io.Writer, ordered string, stop func()) *frames {
	f := &frames{in: bufio.NewReaderSize(in, 64<<10), out: out, ordered: ordered, stop: stop, pending: make(map[string]bool)}
	f.news = sync.NewCond(&f.mu)
	return f
}

func (f *frames) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.news.Broadcast()
	return nil
}

// Read gives the SDK the lines that are messages.
func (f *frames) Read(p []byte) (int, error) {
	f.reading.Do(func() { go f.readLines() })
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.ready) == 0 {
		switch {
		case f.end != nil:
			return 0, f.end
		case f.closed:
			return 0, io.EOF
		}
		f.news.Wait()
	}
	n := copy(p, f.ready[0])
	if f.ready[0] = f.ready[0][n:]; len(f.ready[0]) == 0 {
		f.ready = f.ready[1:]
		f.news.Broadcast()
	}
	return n, nil
}

func (f *frames) readLines() {
	for {
		line, scan, err := f.line()
		if err != nil {
			f.drain()
			f.mu.Lock()
			f.end = err
			f.news.Broadcast()
			f.mu.Unlock()
			// The client may not read what is being written.
			time.AfterFunc(drainGrace, f.stop)
			return
		}
		f.accept(line, scan)
	}
}

// pass queues a line for the SDK; key is that of a call that keeps its turn.
func (f *frames) pass(line []byte, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.ready)+len(f.held) > maximumQueue && !f.closed {
		f.news.Wait()
	}
	switch {
	case key != "" && f.current != "":
		f.held = append(f.held, heldCall{key, line})
		return
	case key != "":
		f.current = key
	}
	f.ready = append(f.ready, line)
	f.news.Broadcast()
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

// accept passes a line on when it is a message, and answers it when it is not.
func (f *frames) accept(line []byte, scan *envelopeScan) {
	text := bytes.TrimSpace(line)
	id := scan.id
	if !validID(id) {
		id = nil
	}
	switch {
	case line == nil:
		f.refuse(id, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d bytes", maximumFrame))
	case len(text) == 0:
	case scan.deepest > maximumFrameDepth:
		f.refuse(id, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is nested deeper than %d", maximumFrameDepth))
	case !json.Valid(text):
		f.refuse(nil, jsonrpc.CodeParseError, "a line is no JSON text")
	case text[0] == '[':
		f.acceptBatch(text)
	default:
		if m, ok := f.note(text); ok {
			f.pass(line, f.turnOf(m))
		}
	}
}

// turnOf is the key of a call of the ordered tool, empty for other messages.
func (f *frames) turnOf(m envelope) string {
	var params struct {
		Name string `json:"name"`
	}
	if m.method != "tools/call" || !m.isRequest() || json.Unmarshal(m.params, &params) != nil || params.Name != f.ordered {
		return ""
	}
	return idKey(m.id)
}

// acceptBatch takes notifications out of a batch, since the SDK waits for their
// answers, and answers the parts that are wrong. The calls of a batch have no
// order.
func (f *frames) acceptBatch(text []byte) {
	var parts []json.RawMessage
	switch err := json.Unmarshal(text, &parts); {
	case err != nil || len(parts) == 0:
		f.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch is empty")
		return
	case !f.batches:
		f.refuse(nil, jsonrpc.CodeInvalidRequest, "this version of the protocol has no batches")
		return
	}
	var requests []json.RawMessage
	for _, part := range parts {
		m, ok := f.note(part)
		switch {
		case !ok:
		case m.isRequest():
			requests = append(requests, part)
		default:
			f.pass(append(slices.Clone(part), '\n'), "")
		}
	}
	if len(requests) > 0 {
		batch, _ := json.Marshal(requests) // they are valid
		f.pass(append(batch, '\n'), "")
	}
}

// note remembers what a message means for the answers; false says that it is
// none, and that this has been answered.
func (f *frames) note(text []byte) (envelope, bool) {
	m, err := readEnvelope(text)
	if err != nil {
		var id []byte
		if validID(m.id) {
			id = m.id
		}
		f.refuse(id, jsonrpc.CodeInvalidRequest, err.Error())
		return m, false
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
			return m, false
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
		f.cancel(idKey(params.RequestID))
	}
	return m, true
}

// cancel notes that a request needs no answer, and forgets it when it has not
// begun.
func (f *frames) cancel(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, running := f.pending[key]; !running {
		return
	}
	f.pending[key] = true
	waiting := len(f.held)
	f.held = slices.DeleteFunc(f.held, func(h heldCall) bool { return h.key == key })
	if len(f.held) < waiting {
		delete(f.pending, key)
		f.news.Broadcast()
	}
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
	if f.answered(answered) {
		return len(p), nil
	}
	f.writing.Lock()
	defer f.writing.Unlock()
	return f.out.Write(p)
}

// answered forgets requests, before their answers are written: the client may
// use their ids again as soon as it has them. It reports that the answer is one
// that nobody wants.
func (f *frames) answered(keys []string) (unwanted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	unwanted = len(keys) == 1 && f.pending[keys[0]]
	for _, key := range keys {
		delete(f.pending, key)
		if key != f.current {
			continue
		}
		f.current = ""
		if len(f.held) > 0 {
			f.current = f.held[0].key
			f.ready = append(f.ready, f.held[0].line)
			f.held = f.held[1:]
		}
	}
	f.news.Broadcast()
	return unwanted
}

// drain waits until every request has been answered, and has what runs longer
// than the grace ended.
func (f *frames) drain() {
	if !f.quiet(drainGrace) {
		f.stop()
		f.quiet(drainGrace)
	}
}

// quiet waits until no request is pending, false when it takes too long.
func (f *frames) quiet(grace time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	late := false
	timer := time.AfterFunc(grace, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		late = true
		f.news.Broadcast()
	})
	defer timer.Stop()
	for len(f.pending) > 0 && !late && !f.closed {
		f.news.Wait()
	}
	return len(f.pending) == 0
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

package jq

// opcode is an instruction of the machine. Most work on the value at the top
// of the stack: an expression replaces its input there by its result.
type opcode uint8

const (
	// opLoad replaces the top with a constant, opUnder pushes one below it.
	opLoad opcode = iota
	opUnder
	opDup
	// opDupTake leaves null where the copied value was, so that it is not kept.
	opDupTake
	opPop
	// opLoadVar replaces the top with a variable, opTakeVar also empties it.
	opLoadVar
	opTakeVar
	// opStore pops into a variable; opStoreAlt also empties it on the way back.
	opStore
	opStoreAlt
	// opSubBegin and opSubEnd surround an expression whose result goes below
	// the top, and whose path does not count.
	opSubBegin
	opSubEnd
	opIndex
	opIndexOpt
	opEach
	opEachOpt
	// opFork goes on, and on the way back to its target; opTry and opAlt do so
	// on an error only.
	opFork
	opTry
	opAlt
	opJump
	opJumpFalse
	opBacktrack
	opAppend
	opInsert
	opConcat
	opRange
	opPathBegin
	opPathEnd
	opLabel
	// opCatchLabel goes back where the error is its label's, opRethrow raises
	// the error of any label again.
	opCatchLabel
	opRethrow
	opNative
	opCall
	opTailCall
	opReturn
)

type instruction struct {
	op opcode
	// target is where a jump goes, a variable's or parameter's number, or a
	// count; level says how many functions outwards it is.
	target, level int
	value         Value
	native        native
	// function is called with args; without one the call is of a parameter.
	function *function
	args     []argument
}

// argument is a closure to make: of a function, or a parameter passed on.
type argument struct {
	function      *function
	target, level int
}

// native is a function written in Go. Its result replaces its input.
type native func(m *Machine, in Value, args []Value) (Value, error)

// function is compiled code. Its frames are linked to a frame of parent.
type function struct {
	name      string
	code      []instruction
	variables int
	parent    *function
}

func (f *function) emit(i instruction) int {
	f.code = append(f.code, i)
	return len(f.code) - 1
}

// here makes the instruction at jump go to what is emitted next.
func (f *function) here(jump int) { f.code[jump].target = len(f.code) }

func (f *function) variable() int {
	f.variables++
	return f.variables - 1
}

// finish ends the function and makes its last calls tail calls.
func (f *function) finish() {
	f.emit(instruction{op: opReturn})
	for i := range f.code {
		if f.code[i].op != opCall {
			continue
		}
		next := i + 1
		for f.code[next].op == opJump {
			next = f.code[next].target
		}
		if f.code[next].op == opReturn {
			f.code[i].op = opTailCall
		}
	}
}

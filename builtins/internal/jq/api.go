package jq

// Text makes a string value of any bytes.
func Text(s string) Value { return validText(s) }

// Parse reads the one JSON text that s is.
func Parse(s string) (Value, error) { return parseText(s) }

// ParseMany reads the JSON texts of s.
func ParseMany(s string) ([]Value, error) {
	values := []Value{}
	d := newDecoder(nil)
	d.feed([]byte(s), true)
	for {
		v, err := d.decode()
		if err == errEndOfText {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
}

// NewArray makes an array, which keeps items.
func NewArray(items []Value) *Array { return newArray(items) }

// NewObject makes an object without keys.
func NewObject() *Object { return &Object{} }

// With is o with one more key, or another value for it.
func (o *Object) With(key string, v Value) *Object { return o.set(validText(key), v) }

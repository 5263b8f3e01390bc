// Package transporttest helps test that translations lose no fields.
package transporttest

import (
	"math/rand/v2"
	"reflect"
)

// Fill sets every field in v, at any depth, to a nonzero value. It first calls special with a
// pointer to each field. If special returns true, Fill does not change the field.
func Fill(r *rand.Rand, v reflect.Value, special func(field any) bool) {
	if special(v.Addr().Interface()) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			Fill(r, v.Field(i), special)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		Fill(r, v.Elem(), special)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			Fill(r, v.Index(i), special)
		}
	case reflect.String:
		v.SetString(string(rune('a' + r.IntN(26))))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1 + r.Int64N(1<<30))
	case reflect.Uint64:
		v.SetUint(1 + r.Uint64N(1<<40))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(1+r.IntN(7)) / 8)
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

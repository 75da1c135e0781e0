package main

import "fmt"

// A chain of types, each reached through the one before.
type (
	T0   struct{ N *T1 }
	T1   struct{ N *T2 }
	T2   struct{ N *T3 }
	T3   struct{ N *T4 }
	T4   struct{ N *T5 }
	T5   struct{ N *T6 }
	T6   struct{ N *T7 }
	T7   struct{ N *T8 }
	T8   struct{ N *T9 }
	T9   struct{ N *T10 }
	T10  struct{ N *T11 }
	T11  struct{ N *T12 }
	T12  struct{ N *T13 }
	T13  struct{ N *T14 }
	T14  struct{ N *T15 }
	T15  struct{ N *T16 }
	T16  struct{ N *T17 }
	T17  struct{ N *T18 }
	T18  struct{ N *T19 }
	T19  struct{ N *T20 }
	T20  struct{ N *T21 }
	T21  struct{ N *T22 }
	T22  struct{ N *T23 }
	T23  struct{ N *T24 }
	T24  struct{ N *T25 }
	T25  struct{ N *T26 }
	T26  struct{ N *T27 }
	T27  struct{ N *T28 }
	T28  struct{ N *T29 }
	T29  struct{ N *T30 }
	T30  struct{ N *T31 }
	T31  struct{ N *T32 }
	T32  struct{ N *T33 }
	T33  struct{ N *T34 }
	T34  struct{ N *T35 }
	T35  struct{ N *T36 }
	T36  struct{ N *T37 }
	T37  struct{ N *T38 }
	T38  struct{ N *T39 }
	T39  struct{ N *T40 }
	T40  struct{ N *T41 }
	T41  struct{ N *T42 }
	T42  struct{ N *T43 }
	T43  struct{ N *T44 }
	T44  struct{ N *T45 }
	T45  struct{ N *T46 }
	T46  struct{ N *T47 }
	T47  struct{ N *T48 }
	T48  struct{ N *T49 }
	T49  struct{ N *T50 }
	T50  struct{ N *T51 }
	T51  struct{ N *T52 }
	T52  struct{ N *T53 }
	T53  struct{ N *T54 }
	T54  struct{ N *T55 }
	T55  struct{ N *T56 }
	T56  struct{ N *T57 }
	T57  struct{ N *T58 }
	T58  struct{ N *T59 }
	T59  struct{ N *T60 }
	T60  struct{ N *T61 }
	T61  struct{ N *T62 }
	T62  struct{ N *T63 }
	T63  struct{ N *T64 }
	T64  struct{ N *T65 }
	T65  struct{ N *T66 }
	T66  struct{ N *T67 }
	T67  struct{ N *T68 }
	T68  struct{ N *T69 }
	T69  struct{ N *T70 }
	T70  struct{ N *T71 }
	T71  struct{ N *T72 }
	T72  struct{ N *T73 }
	T73  struct{ N *T74 }
	T74  struct{ N *T75 }
	T75  struct{ N *T76 }
	T76  struct{ N *T77 }
	T77  struct{ N *T78 }
	T78  struct{ N *T79 }
	T79  struct{ N *T80 }
	T80  struct{ N *T81 }
	T81  struct{ N *T82 }
	T82  struct{ N *T83 }
	T83  struct{ N *T84 }
	T84  struct{ N *T85 }
	T85  struct{ N *T86 }
	T86  struct{ N *T87 }
	T87  struct{ N *T88 }
	T88  struct{ N *T89 }
	T89  struct{ N *T90 }
	T90  struct{ N *T91 }
	T91  struct{ N *T92 }
	T92  struct{ N *T93 }
	T93  struct{ N *T94 }
	T94  struct{ N *T95 }
	T95  struct{ N *T96 }
	T96  struct{ N *T97 }
	T97  struct{ N *T98 }
	T98  struct{ N *T99 }
	T99  struct{ N *T100 }
	T100 struct{ N *T101 }
	T101 struct{ N *T102 }
	T102 struct{ N *T103 }
	T103 struct{ N *T104 }
	T104 struct{ N *T105 }
	T105 struct{ N *T106 }
	T106 struct{ N *T107 }
	T107 struct{ N *T108 }
	T108 struct{ N *T109 }
	T109 struct{ N *T110 }
	T110 struct{ N *T111 }
	T111 struct{ N *T112 }
	T112 struct{ N *T113 }
	T113 struct{ N *T114 }
	T114 struct{ N *T115 }
	T115 struct{ N *T116 }
	T116 struct{ N *T117 }
	T117 struct{ N *T118 }
	T118 struct{ N *T119 }
	T119 struct{ N *T0 }
)

func (t T119) Name() string { return "last" }

func main() {
	x := T118{&T119{&T0{&T1{}}}}
	fmt.Println(x.N.Name(), x.N.N.N.N == nil)
	fmt.Printf("%T %T\n", x, x.N.N.N)
}

if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {
    set terminal pngcairo size 1000,700 font 'Sans,11' background '#ffffff'
} else {
    set terminal png size 1000,700 background '#ffffff'
}
set output 'map.png'
set title 'cut.img: 64MiB, FAT16, 0.3% used, largest free run 63.75MiB' noenhanced
set key at screen 0.5, screen 0.02 center bottom horizontal maxrows 1 samplen 1
set bmargin 6
set border lc rgb '#888888'
set tics out nomirror
set style fill solid noborder
set xtics ('0B' 0, '128KiB' 16, '256KiB' 32, '384KiB' 48, '512KiB' 64, '640KiB' 80, '768KiB' 96, '896KiB' 112, '1MiB' 128)
set ytics ('0B' 0, '8MiB' 8, '16MiB' 16, '24MiB' 24, '32MiB' 32, '40MiB' 40, '48MiB' 48, '56MiB' 56, '64MiB' 64)
set xlabel 'position in the row; a cell is 8KiB'
set ylabel 'position on the card'
set xrange [0:128]
set yrange [64:0]
plot 'map.dat' using (($1+$2)/2.0):($3+0.5):1:($2+0.1):3:($3+1.1):4 with boxxyerror lc rgb variable notitle, \
    NaN with points pt 5 ps 2 lc rgb '#34495e' title 'boot, FATs', \
    NaN with points pt 5 ps 2 lc rgb '#e3eedd' title 'free', \
    NaN with points pt 5 ps 2 lc rgb '#8fa8c8' title 'used', \
    NaN with points pt 5 ps 2 lc rgb '#d62728' title 'lost or bad'
# column end row color
0 2 0 0xffffff
2 8 0 0x34495e
8 26 0 0x8fa8c8
26 28 0 0xe3eedd
28 32 0 0xd62728
32 128 0 0xe3eedd
0 128 1 0xe3eedd
0 128 2 0xe3eedd
0 128 3 0xe3eedd
0 128 4 0xe3eedd
0 128 5 0xe3eedd
0 128 6 0xe3eedd
0 128 7 0xe3eedd
0 128 8 0xe3eedd
0 128 9 0xe3eedd
0 128 10 0xe3eedd
0 128 11 0xe3eedd
0 128 12 0xe3eedd
0 128 13 0xe3eedd
0 128 14 0xe3eedd
0 128 15 0xe3eedd
0 128 16 0xe3eedd
0 128 17 0xe3eedd
0 128 18 0xe3eedd
0 128 19 0xe3eedd
0 128 20 0xe3eedd
0 128 21 0xe3eedd
0 128 22 0xe3eedd
0 128 23 0xe3eedd
0 128 24 0xe3eedd
0 128 25 0xe3eedd
0 128 26 0xe3eedd
0 128 27 0xe3eedd
0 128 28 0xe3eedd
0 128 29 0xe3eedd
0 128 30 0xe3eedd
0 128 31 0xe3eedd
0 128 32 0xe3eedd
0 128 33 0xe3eedd
0 128 34 0xe3eedd
0 128 35 0xe3eedd
0 128 36 0xe3eedd
0 128 37 0xe3eedd
0 128 38 0xe3eedd
0 128 39 0xe3eedd
0 128 40 0xe3eedd
0 128 41 0xe3eedd
0 128 42 0xe3eedd
0 128 43 0xe3eedd
0 128 44 0xe3eedd
0 128 45 0xe3eedd
0 128 46 0xe3eedd
0 128 47 0xe3eedd
0 128 48 0xe3eedd
0 128 49 0xe3eedd
0 128 50 0xe3eedd
0 128 51 0xe3eedd
0 128 52 0xe3eedd
0 128 53 0xe3eedd
0 128 54 0xe3eedd
0 128 55 0xe3eedd
0 128 56 0xe3eedd
0 128 57 0xe3eedd
0 128 58 0xe3eedd
0 128 59 0xe3eedd
0 128 60 0xe3eedd
0 128 61 0xe3eedd
0 128 62 0xe3eedd
0 128 63 0xe3eedd

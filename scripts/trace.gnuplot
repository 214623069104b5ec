# Draws the rows of `make trace` as an SVG, a line for each engine: blocks sent so far and the risks over the days.
#
#   gnuplot -e "rows='ROWS.csv'" scripts/trace.gnuplot >docs/trace.svg
set terminal svg size 1000,760 background 'white'
set datafile separator ','
engines = system("tail -n +2 '".rows."' | cut -d , -f 1 | uniq")
day(engine) = strcol('engine') eq engine ? column('day') : NaN

set multiplot layout 2,2
set xlabel 'day'
set yrange [0:]
set offsets 0, 0, graph 0.05, 0
set key top left
set title 'blocks of tables sent so far'
set format y '%.0s %c'
plot for [e in engines] rows using (day(e)):(column('blocks')) smooth cumulative with lines linewidth 2 title e
unset key
set format y '%g'
do for [risk in 'a2a rp sp'] {
    set title risk
    plot for [e in engines] rows using (day(e)):(column(risk)) with steps linewidth 2
}
unset multiplot

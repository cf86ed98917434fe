/*
 * The page's style sheet. One column of text at most 74 characters wide, tables and pictures as wide as
 * the page. Colours are variables: by Okabe and Ito, which the colour-blind can tell apart, and darker
 * or lighter as the ground needs it. Below 40 em tables become cards: a row a block, a cell a line with
 * its head in front (data-k).
 */
#include "report/page.h"

static const char *const style[] = {
    ":root{color-scheme:light dark;--paper:#fff;--panel:#f6f7f9;--ink:#1a2027;--soft-ink:#59636f;"
    "--rule:#d9dee4;--accent:#0062a3;--accent-soft:#9cc4e4;--good:#00704f;--bad:#b3261e;"
    "--bus:#0072b2;--driver:#56b4e9;--host:#009e73;--file:#7a9a01;--card:#e69f00;--flash:#d1342f;"
    "--fat:#cc79a7;--producer:#9aa4af;--outside:#6f58a8}\n",
    "@media (prefers-color-scheme:dark){:root{--paper:#14181d;--panel:#1c222a;--ink:#e4e9ee;"
    "--soft-ink:#9aa6b2;--rule:#343d48;--accent:#6cb6f5;--accent-soft:#2f5f86;--good:#52c79c;"
    "--bad:#ff8a80;--bus:#3d9bd6;--host:#1fb88a;--file:#a3c52a;--flash:#f0625d;"
    "--outside:#a18ad8}}\n",
    "*{box-sizing:border-box}\n",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n",
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"
    "\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;font-variant-numeric:tabular-nums;"
    "overflow-wrap:anywhere}\n",
    "main{max-width:62rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}\n",
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 "
    ".4rem;letter-spacing:-.01em;text-wrap:balance}\n",
    "h2{font-size:1.35rem;line-height:1.25;margin:3.2rem 0 .4rem;padding-top:1rem;"
    "border-top:2px solid var(--ink)}\n",
    "h3{font-size:1.15rem;line-height:1.3;margin:2.6rem 0 .3rem}\n",
    "h4{font-size:.8rem;font-weight:600;letter-spacing:.06em;text-transform:uppercase;"
    "color:var(--soft-ink);margin:2rem 0 .5rem}\n",
    "p{margin:.4rem 0;max-width:74ch}\n",
    "a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.15em}\n",
    ".lead,.note{color:var(--soft-ink)}\n",
    ".note{font-size:.85rem}\n",
    ".good{color:var(--good)}\n",
    ".bad{color:var(--bad);font-weight:600}\n",
    "table{border-collapse:collapse;width:100%;font-size:.9rem;margin:.8rem 0}\n",
    "th{text-align:left;font-weight:600;color:var(--soft-ink);border-bottom:1px solid var(--ink);"
    "padding:.25rem .8rem .25rem 0;vertical-align:bottom}\n",
    "td{border-bottom:1px solid var(--rule);padding:.35rem .8rem .35rem "
    "0;vertical-align:baseline}\n",
    "th:last-child,td:last-child{padding-right:0}\n",
    ".n{text-align:right;white-space:nowrap}\n",
    "td.w{white-space:nowrap}\n",
    "td.name{overflow-wrap:break-word;min-width:7rem}\n",
    "tr.group td{font-weight:600;border-bottom:0;padding-top:1.1rem}\n",
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem;margin:.8rem 0;"
    "font-size:.9rem}\n",
    "dt{color:var(--soft-ink)}\n",
    "dd{margin:0}\n",
    "dl.stats{grid-template-columns:repeat(auto-fit,minmax(6.5rem,1fr));gap:.5rem 1rem}\n",
    "dl.stats dd{font-size:1rem}\n",
    ".big{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.8rem 2rem;"
    "margin:1rem 0}\n",
    ".big b{display:block;font-size:1.75rem;line-height:1.15;font-weight:600;"
    "letter-spacing:-.01em}\n",
    ".big span{color:var(--soft-ink);font-size:.85rem}\n",
    "ul.say{margin:.6rem 0;padding-left:1.1rem;max-width:74ch}\n",
    "ul.say li{margin:.25rem 0}\n",
    /* the little axis of a table row: measured in the middle */
    ".fork{display:block;width:100%;max-width:11rem;height:1rem;overflow:visible}\n",
    "td.fk{vertical-align:middle}\n",
    ".fork .axis{stroke:var(--rule)}\n",
    ".fork .mid{fill:var(--soft-ink);opacity:.75}\n",
    ".fork .span{stroke:var(--accent);stroke-width:2}\n",
    ".fork .dot{fill:var(--accent)}\n",
    /* waterfall */
    ".fall{list-style:none;margin:.8rem 0;padding:0;font-size:.9rem}\n",
    ".fall li{display:grid;grid-template-columns:11.5rem 1fr 5.5rem 3.6rem 6.4rem;column-gap:.8rem;"
    "align-items:center;padding:.4rem 0;border-bottom:1px solid var(--rule)}\n",
    ".fall .head{color:var(--soft-ink);font-weight:600;border-bottom-color:var(--ink);"
    "padding:.25rem 0}\n",
    ".fall .sum{font-weight:600;border-bottom:0}\n",
    ".fall .rule{grid-column:2/-1;color:var(--soft-ink);font-size:.85rem;line-height:1.4;"
    "padding-top:.15rem}\n",
    ".tell{display:block;padding-left:1em;text-indent:-1em}\n",
    ".tell::before{content:\"\\2192\\00a0\"}\n",
    "code{font:.85em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n",
    ".track{position:relative;height:1.05rem;background:var(--panel);border-radius:2px;"
    "overflow:hidden}\n",
    ".track i{position:absolute;top:0;bottom:0;min-width:1px;border-radius:1px}\n",
    ".l-bus{background:var(--bus)}.l-driver{background:var(--driver)}.l-host{background:var(--host)"
    "}"
    ".l-file{background:var(--file)}.l-card{background:var(--card)}.l-flash{background:var(--flash)"
    "}"
    ".l-fat{background:var(--fat)}.l-producer{background:var(--producer)}"
    ".l-outside{background:var(--outside)}\n",
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.82rem;color:var(--soft-ink);"
    "margin:.5rem 0}\n",
    ".legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em;"
    "vertical-align:-.05em}\n",
    /* pictures */
    ".pair{display:grid;grid-template-columns:1fr 1fr;gap:1.2rem 2rem}\n",
    "figure{margin:.8rem 0;min-width:0}\n",
    "figcaption{font-size:.85rem;color:var(--soft-ink)}\n",
    ".plot{display:block;width:100%;height:auto;max-width:32rem;font-family:inherit;"
    "color:var(--ink)}\n",
    /* strips */
    ".strip{display:grid;grid-template-columns:8rem 1fr;gap:3px .8rem;font-size:.82rem;"
    "align-items:center;margin:.5rem 0}\n",
    ".strip span{color:var(--soft-ink)}\n",
    ".strip svg{display:block;width:100%;height:1.15rem;background:var(--panel)}\n",
    ".strip .scale{grid-column:2;display:flex;justify-content:space-between}\n",
    ".c-payload,.c-data,.c-write,.c-print{fill:var(--host);background:var(--host)}"
    ".c-protocol,.c-read{fill:var(--driver);background:var(--driver)}"
    ".c-gap,.c-other,.c-boot{fill:var(--producer);background:var(--producer)}"
    ".c-poll,.c-seek,.c-fsinfo,.c-status{fill:#d9c400;background:#d9c400}"
    ".c-access,.c-fetch,.c-bitmap,.c-list{fill:var(--card);background:var(--card)}"
    ".c-busy,.c-program{fill:#a8700a;background:#a8700a}"
    ".c-pause,.c-erase{fill:var(--flash);background:var(--flash)}"
    ".c-copy,.c-directory,.c-open,.c-switch{fill:var(--fat);background:var(--fat)}"
    ".c-host,.c-close,.c-stop{fill:var(--bus);background:var(--bus)}"
    ".c-fat,.c-sync{fill:#d55e00;background:#d55e00}"
    ".c-outside{fill:var(--outside);background:var(--outside)}"
    ".c-idle,.c-init,.c-mount,.c-set-up{fill:var(--rule);background:var(--rule)}\n",
    /* a queue, from empty to full */
    ".c-level-0{fill:var(--rule);background:var(--rule)}"
    ".c-level-1,.c-level-2,.c-level-3{fill:#bcd98a;background:#bcd98a}"
    ".c-level-4,.c-level-5,.c-level-6{fill:var(--file);background:var(--file)}"
    ".c-level-7,.c-level-8,.c-level-9{fill:var(--card);background:var(--card)}"
    ".c-level-10{fill:var(--flash);background:var(--flash)}\n",
    "footer{margin-top:4rem;padding-top:1rem;border-top:1px solid var(--rule);font-size:.85rem;"
    "color:var(--soft-ink)}\n",
    /* a phone: rows become cards */
    "@media screen and (max-width:46rem){main{padding:1.4rem 1rem 3rem}h1{font-size:1.5rem}"
    "h2{font-size:1.2rem;margin-top:2.4rem}.pair{grid-template-columns:1fr}"
    "dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .5rem}"
    "dl.stats{grid-template-columns:1fr 1fr;gap:0 1rem}"
    ".fall .head{display:none}"
    ".fall li{grid-template-columns:1fr auto auto;column-gap:.8rem}"
    ".fall .track{grid-column:1/-1;grid-row:2;margin:.2rem 0}.fall .ceil{grid-column:1/-1;"
    "grid-row:3;text-align:left;color:var(--soft-ink);font-size:.85rem}"
    ".fall .ceil::before{content:\"ceiling \"}.fall .rule{grid-column:1/-1;grid-row:4}"
    ".strip{grid-template-columns:1fr}.strip .scale{grid-column:1}"
    "table,tbody,tr,td{display:block}thead{display:none}"
    "tr{padding:.6rem 0;border-bottom:1px solid var(--rule)}"
    "td,td.n{border:0;padding:.1rem 0;text-align:left;white-space:normal;display:grid;"
    "grid-template-columns:6.5rem 1fr;gap:.8rem}"
    "td::before{content:attr(data-k);color:var(--soft-ink)}"
    "td:empty{display:none}tr.group td,td.name{display:block;font-weight:600}"
    "tr.group "
    "td::before,td.name::before{content:none}tr.group{border-bottom:0;padding-bottom:0}}\n",
    /* paper */
    "@media print{:root{--paper:#fff;--panel:#f3f4f6;--ink:#000;--soft-ink:#444;--rule:#ccc;"
    "--accent:#004f85}@page{size:A4;margin:16mm 15mm}body{font-size:10pt;line-height:1.4}"
    "main{max-width:none;padding:0}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "a{color:inherit;text-decoration:none}h2,h3,h4,.keep{break-after:avoid}"
    ".run{break-before:page}.run.first{break-before:auto}"
    "table{font-size:8.5pt}tr,.fall li,figure,.strip,.big,dl{break-inside:avoid}"
    "thead{display:table-header-group}h2.inputs{break-before:page}.plot{max-width:8.6cm}}\n",
};

void sdsim_page_style(FILE *out)
{
    fputs("<style>\n", out);
    for (size_t i = 0; i < sizeof style / sizeof *style; i++) {
        fputs(style[i], out);
    }
    fputs("</style>\n", out);
}

import { bulletOf, MARK_OPACITY, markInk, SIDE_HUES, STATE_STYLES, stateStyle, type Theme } from '@market-state/packet-figures';

/** Positions of the two threshold lines, equal in all bars. */
const { watch, elevated } = bulletOf({ score: null, watch: 0, elevated: 1 });

/** One of the states drawn as a gap; the palette treats them alike. */
const HOLE = 'insufficient_evidence';

/** Ink and font come from the page. */
export function packetStyles(): string {
  return `.packet-figure{container-type:inline-size;margin:1.5em 0;padding:16px;border:1px solid var(--pf-edge);border-radius:6px;font-size:14px;line-height:1.45;font-variant-numeric:tabular-nums;${hues('light')}}
@media screen and (prefers-color-scheme:dark){.packet-figure{${hues('dark')}}}
${LAYOUT}
.pf-at-watch{left:${100 * watch}%}
.pf-at-elevated{left:${100 * elevated}%}
${words()
  .map((word) => `.pf-hue-${word}{fill:var(--pf-hue-${word})}\n.pf-ink-${word}{--pf-ink:var(--pf-ink-${word})}`)
  .join('\n')}
`;
}

function words(): readonly string[] {
  return [...Object.keys(STATE_STYLES), 'hole'];
}

function hues(theme: Theme): string {
  const states = words().map((word) => {
    const style = stateStyle(word === 'hole' ? HOLE : word);
    return `--pf-hue-${word}:${style[theme]};--pf-ink-${word}:${markInk(style.mark, style[theme])};`;
  });
  const { bid, ask } = SIDE_HUES[theme];
  return `${states.join('')}--pf-bid:${bid};--pf-ask:${ask};${GREYS}`;
}

const GREYS =
  '--pf-soft:color-mix(in srgb,currentColor 72%,transparent);--pf-track:color-mix(in srgb,currentColor 10%,transparent);--pf-edge:color-mix(in srgb,currentColor 22%,transparent)';

const LAYOUT = `.packet-figure p,.packet-figure ul,.packet-figure dl,.packet-figure dd{margin:0;padding:0}
.packet-figure ul{list-style:none}
.packet-figure li,.packet-figure li+li{margin:0}
.packet-figure figcaption{margin:0 0 14px;font-size:14px}
.packet-figure figcaption span,.packet-figure .pf-soft{color:var(--pf-soft)}
.packet-figure .pf-head{margin:0 0 6px;font-weight:600;font-size:13px;color:var(--pf-soft)}
.packet-figure .pf-big{display:flex;gap:8px;align-items:center;font-size:17px;font-weight:600;line-height:1.3}
.packet-figure .pf-soft{font-size:13px;margin-top:4px}
.pf-defs{position:absolute}
.pf-swatch{flex:none;vertical-align:-2px}
.pf-verdict{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:16px 28px;margin-bottom:16px}
.packet-figure .pf-facts{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:8px 28px;margin-bottom:18px;padding:12px 0;border-block:1px solid var(--pf-edge)}
.pf-facts dt{font-size:12px;color:var(--pf-soft)}
.packet-figure dt{font-weight:400}
.packet-figure .pf-axis{margin-bottom:-10px}
.packet-figure .pf-scores{display:grid;gap:10px;margin-bottom:18px}
.pf-scores li{display:grid;grid-template-columns:9.5em minmax(0,1fr) minmax(0,1fr);gap:0 16px;align-items:start}
.pf-drawn{position:relative;display:block;min-width:0}
.pf-wide{display:block;width:100%}
.pf-scale{position:relative;display:block;height:14px;font-size:11px;line-height:14px;color:var(--pf-soft)}
.pf-scale span{position:absolute;transform:translateX(-50%)}
.packet-figure .pf-words{font-size:13px;color:var(--pf-soft)}
.pf-absent{font-size:13px;color:var(--pf-soft);font-style:italic}
.pf-pair{display:grid;grid-template-columns:minmax(0,1.2fr) minmax(0,1fr);gap:18px 28px}
.pf-pair+.pf-pair{margin-top:18px;padding-top:14px;border-top:1px solid var(--pf-edge)}
.packet-figure .pf-candidates{display:grid;gap:4px}
.pf-candidates li{display:grid;grid-template-columns:minmax(0,1.9fr) minmax(30px,1fr) minmax(3em,auto) 5em;gap:0 8px;font-size:13px;align-items:center}
.pf-candidates .pf-name{display:flex;gap:8px;align-items:center}
.pf-number{text-align:right}
.packet-figure .pf-rule{font-size:13px;color:var(--pf-soft)}
.packet-figure .pf-sum{font-weight:600;margin:2px 0 10px}
.packet-figure .pf-group{margin:8px 0 2px;font-weight:600;font-size:13px}
.pf-terms div{display:flex;gap:16px;justify-content:space-between;padding:3px 0;border-bottom:1px solid var(--pf-track)}
.pf-terms dt{font-size:13px;color:var(--pf-soft)}
.pf-terms dd{flex:none;text-align:right}
.packet-figure .pf-sentences li{position:relative;padding-left:14px;margin-bottom:5px}
.pf-sentences li::before{content:"–";position:absolute;left:0;color:var(--pf-soft)}
.pf-track{fill:var(--pf-track)}
.pf-plain{fill:var(--pf-soft)}
.pf-bid{fill:var(--pf-bid)}
.pf-ask{fill:var(--pf-ask)}
.pf-low{opacity:.55}
.pf-edge{stroke:var(--pf-edge);vector-effect:non-scaling-stroke}
.pf-line{stroke:currentColor;stroke-width:1.5;vector-effect:non-scaling-stroke}
.pf-leave{stroke-width:1;stroke-dasharray:3 2}
.pf-stroke{fill:none;stroke:var(--pf-ink);opacity:${MARK_OPACITY}}
.pf-dot{fill:var(--pf-ink);opacity:${MARK_OPACITY}}
@container (max-width:620px){.pf-verdict{grid-template-columns:minmax(0,1fr)}.packet-figure .pf-facts{grid-template-columns:repeat(2,minmax(0,1fr))}.pf-pair{grid-template-columns:minmax(0,1fr)}}
@container (max-width:560px){.pf-scores li{grid-template-columns:minmax(0,1fr)}.pf-candidates .pf-words{grid-column:1/-1;padding-left:24px;margin-top:-3px}.pf-candidates li{grid-template-columns:minmax(0,1.5fr) minmax(30px,1fr) minmax(3em,auto)}}
@media print{.packet-figure{break-inside:avoid}}
@media (forced-colors:active){.packet-figure svg{forced-color-adjust:none}}`;

/** A feed's strip as a picture. */
import type { Strip } from "./strip.ts"

const width = 600
const laneHeight = 9
const above = 12

/** Scheduled starts as ticks above, runs as bars beneath, gaps as shaded spans. */
export const StripView = ({ label, strip }: { readonly label: string; readonly strip: Strip }) => {
  const height = above + strip.lanes * laneHeight + 2
  return (
    <svg class="strip" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
      {strip.gaps.map(({ end, start }, index) => (
        <rect key={index} class="gap" x={start * width} y={0} width={Math.max(2, (end - start) * width)} height={height} />
      ))}
      {strip.bars.map(({ end, failure, lane, name, scheduled, start }) => (
        <g key={name}>
          <line class="tick" x1={scheduled * width} x2={scheduled * width} y1={1} y2={above - 2} />
          <rect
            class={failure === undefined ? "run" : "run failed"}
            x={start * width}
            y={above + lane * laneHeight}
            width={Math.max(1.5, (end - start) * width)}
            height={laneHeight - 2}
          >
            <title>{failure ?? name}</title>
          </rect>
        </g>
      ))}
    </svg>
  )
}

interface Props {
  readonly value: number | undefined;
  readonly label: string;
  /** The interval of 90 % of opinions, where it was measured. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** A score on the scale from 1 to 5, with marks at whole numbers and its interval. */
export const Bar = ({ value, label, low, high }: Props) => {
  if (value === undefined) return <p class="small muted">not calibrated: only its raw score is known</p>;
  const interval = low === undefined || high === undefined ? undefined : { low, high };
  const range = interval === undefined ? '' : `, 90 % of opinions ${low?.toFixed(2)} to ${high?.toFixed(2)}`;
  return (
    <div class="bar" role="img" aria-label={`${label}: ${value.toFixed(2)}${range}`} title={range.slice(2)}>
      <span class="bar-track">
        <span class="bar-fill" style={{ width: percent(value - 1) }} />
        {[2, 3, 4].map((mark) => (
          <span key={mark} class="bar-mark" style={{ left: percent(mark - 1) }} />
        ))}
      </span>
      {interval && (
        <span
          class="bar-interval"
          style={{ left: percent(interval.low - 1), width: percent(interval.high - interval.low) }}
        />
      )}
    </div>
  );
};

/** A length on the scale, which is four units long. */
const percent = (length: number): string => `${(length / 4) * 100}%`;

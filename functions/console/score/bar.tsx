interface Props {
  readonly value: number | undefined;
  readonly label: string;
}

/** A score on the scale from 1 to 5, with the marks of the whole numbers. */
export const Bar = ({ value, label }: Props) => {
  if (value === undefined) return <p class="small muted">not calibrated: only its raw score is known</p>;
  return (
    <div class="bar" role="img" aria-label={`${label}: ${value.toFixed(2)}`}>
      <span class="bar-fill" style={{ width: `${((value - 1) / 4) * 100}%` }} />
      {[2, 3, 4].map((mark) => (
        <span key={mark} class="bar-mark" style={{ left: `${((mark - 1) / 4) * 100}%` }} />
      ))}
    </div>
  );
};

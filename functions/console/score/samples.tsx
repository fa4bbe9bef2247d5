export interface Sample {
  readonly title: string;
  readonly picture: string;
  readonly reference: string;
}

export const SAMPLES: readonly Sample[] = [
  { title: 'Compressed', picture: 'chelsea-jpeg.jpg', reference: 'chelsea.webp' },
  { title: 'Blurred', picture: 'coffee-blur.webp', reference: 'coffee.webp' },
  { title: 'Noisy', picture: 'rocket-noise.webp', reference: 'rocket.webp' },
];

interface Props {
  readonly samples: readonly Sample[];
  readonly isBusy: boolean;
  onTake(sample: Sample): void;
}

/** Sample pictures; one click scores them. */
export const Samples = ({ samples, isBusy, onTake }: Props) => (
  <div class="samples">
    <span class="muted small">Or try a sample</span>
    {samples.map((sample) => (
      <button key={sample.picture} type="button" class="sample" disabled={isBusy} onClick={() => onTake(sample)}>
        <img src={`/console/samples/${sample.picture}`} alt="" width="60" height="40" loading="lazy" />
        <span>{sample.title}</span>
      </button>
    ))}
  </div>
);

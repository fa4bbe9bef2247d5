import type { Scores } from '../answers.ts';
import { useClient } from '../context.ts';
import { useObjectUrl } from '../ui/drop-zone.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Choice, Tabs } from '../ui/parts.tsx';
import { useEffect } from '../use-effect.ts';
import { useAction } from '../use-load.ts';
import { useState } from '../use-state.ts';

interface Props {
  readonly picture: File;
  readonly reference: File | undefined;
  /** Known after the server has decoded it. */
  readonly image: Scores['image'] | undefined;
}

type Mode = 'compare' | 'map';

/** The picture beside its reference, or under a map of the differences. */
export const Viewer = ({ picture, reference, image }: Props) => {
  const [mode, setMode] = useState<Mode>('compare');
  const address = useObjectUrl(picture);
  const original = useObjectUrl(reference);
  return (
    <div class="card viewer">
      <div class="row between">
        {reference ? (
          <Tabs<Mode> label="View" choices={VIEWS} chosen={mode} onChoose={setMode} />
        ) : (
          <span class="small muted">Add the original to compare and to see a quality map.</span>
        )}
        <span class="small muted">{image ? `${image.width} × ${image.height} ${image.format}` : ' '}</span>
      </div>
      {address !== undefined && original === undefined && (
        <img class="viewer-alone" src={address} alt={picture.name} {...sizeOf(image)} />
      )}
      {address !== undefined && original !== undefined && mode === 'compare' && (
        <Compare address={address} original={original} image={image} />
      )}
      {address !== undefined && reference && mode === 'map' && (
        <QualityMap key={address} address={address} picture={picture} reference={reference} image={image} />
      )}
    </div>
  );
};

const VIEWS: readonly Choice<Mode>[] = [
  { value: 'compare', label: 'Compare' },
  { value: 'map', label: 'Quality map' },
];

const sizeOf = (image: Props['image']) => ({ width: image?.width, height: image?.height });

interface CompareProps {
  readonly address: string;
  readonly original: string;
  readonly image: Props['image'];
}

/** The divider is a range input over the pictures: it can be dragged, touched and moved with the arrow keys. */
const Compare = ({ address, original, image }: CompareProps) => {
  const [split, setSplit] = useState(50);
  const size = sizeOf(image);
  return (
    <div class="compare" style={{ '--split': `${split}%` }}>
      <img src={original} alt="The original" {...size} />
      <img class="compare-top" src={address} alt="As it is now" {...size} />
      <input
        type="range"
        min="0"
        max="100"
        step="0.5"
        value={String(split)}
        aria-label="Divider between picture and original"
        onInput={(event: Event) => setSplit(Number((event.target as HTMLInputElement).value))}
      />
      <span class="compare-line" aria-hidden="true" />
      <span class="compare-tag left">Picture</span>
      <span class="compare-tag right">Original</span>
    </div>
  );
};

interface MapProps extends Omit<CompareProps, 'original'> {
  readonly picture: File;
  readonly reference: File;
}

const QualityMap = ({ address, picture, reference, image }: MapProps) => {
  const client = useClient();
  const [map, setMap] = useState<Blob | undefined>(undefined);
  const [opacity, setOpacity] = useState(85);
  const paint = useAction(async () => setMap(await client.map({ image: picture, reference })));
  useEffect(() => void paint.run(), []);
  const painted = useObjectUrl(map);
  const size = sizeOf(image);
  return (
    <div class="group">
      <div class="compare" style={{ '--opacity': String(opacity / 100) }}>
        <img src={address} alt="As it is now" {...size} />
        {painted !== undefined && (
          <img class="compare-map" src={painted} alt="Where it differs from the original" {...size} />
        )}
        {paint.isBusy && <span class="compare-tag left">Painting…</span>}
      </div>
      <Notice fault={paint.fault} onRetry={() => void paint.run()} />
      <label class="row slider">
        <span class="small">Map</span>
        <input
          type="range"
          min="0"
          max="100"
          value={String(opacity)}
          onInput={(event: Event) => setOpacity(Number((event.target as HTMLInputElement).value))}
        />
        <span class="small muted">{opacity} %</span>
      </label>
      <p class="small muted">
        Grey is as in the original by VSI; the hotter a place glows, the more was lost there: 0.7 glows fully, 1 is no
        loss, in every picture.
      </p>
    </div>
  );
};

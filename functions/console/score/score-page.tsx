import { useRef } from 'hono/jsx/dom';
import type { IqaTool, Score, Scores } from '../answers.ts';
import { useClient } from '../context.ts';
import { DropZone } from '../ui/drop-zone.tsx';
import { Notice } from '../ui/notice.tsx';
import { Button } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction, useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { Batch } from './batch.tsx';
import { Results } from './results.tsx';
import { SAMPLES, type Sample, Samples } from './samples.tsx';
import { ScoreHistory } from './score-history.tsx';
import { ToolChoice } from './tool-choice.tsx';

export interface ScoredPicture {
  readonly picture: File;
  readonly reference: File | undefined;
  /** In order of arrival: the fastest first. */
  readonly scores: readonly Score[];
  /** How many scores are expected. */
  readonly expected: number;
  /** The complete response, once all scores are there. */
  readonly report?: Scores;
}

/** Without a selection the server uses the best three. */
const UNCHOSEN = 3;

/** Scores a picture, with or without a reference; shows scores, comparison and quality map. */
export const ScorePage = () => {
  const client = useClient();
  const metrics = useLoad(() => client.iqaTools(), []);
  const [pictures, setPictures] = useState<readonly File[]>([]);
  const [reference, setReference] = useState<File | undefined>(undefined);
  const [tools, setTools] = useKept<readonly string[]>('score.tools', []);
  const [scored, setScored] = useState<ScoredPicture | undefined>(undefined);
  const stopper = useRef<AbortController>(null);
  const sampleOriginal = useRef<File>(null);
  const known = metrics.value?.tools ?? [];

  const score = useAction(async (picture: File, original: File | undefined) => {
    const usable = usableWith(tools, original, known);
    const controller = new AbortController();
    stopper.current?.abort();
    stopper.current = controller;
    const { signal } = controller;
    const pictures = { image: picture, reference: original, tools: usable.length === 0 ? undefined : usable };
    setScored({ picture, reference: original, scores: [], expected: usable.length || UNCHOSEN });
    const onScore = (one: Score): void => {
      if (!signal.aborted) setScored((before) => before && { ...before, scores: [...before.scores, one] });
    };
    try {
      const report = await client.score(pictures, { signal, onScore });
      if (!signal.aborted) setScored((before) => before && completed(before, report));
    } catch (thrown) {
      if (!signal.aborted) setScored(undefined);
      throw thrown;
    }
  });
  /** Clears results that belong to an earlier selection. */
  const clear = (): void => {
    stopper.current?.abort();
    setScored(undefined);
    score.clear();
    take.clear();
  };
  const choose = (files: readonly File[]): void => {
    setPictures(files);
    // A sample's reference belongs to no other picture.
    if (reference !== undefined && reference === sampleOriginal.current) setReference(undefined);
    clear();
  };
  const take = useAction(async (sample: Sample) => {
    const [picture, original] = await Promise.all([client.sample(sample.picture), client.sample(sample.reference)]);
    setPictures([picture]);
    setReference(original);
    sampleOriginal.current = original;
    await score.run(picture, original);
  });
  const [first] = pictures;
  return (
    <div class="page">
      <div class="page-head">
        <h1>How good is this picture?</h1>
        <p class="lead">
          Drop a picture to judge it on its own, or add the original beside it to see what was lost and where.
        </p>
      </div>
      <section class="card" aria-label="Pictures to score">
        <div class="zones">
          <DropZone label="Picture" hint="one, or many for a table" files={pictures} many onFiles={choose} />
          <DropZone
            label="Original"
            hint="optional, same size"
            files={reference ? [reference] : []}
            onFiles={([file]) => {
              setReference(file);
              clear();
            }}
          />
        </div>
        <ToolChoice metrics={known} hasReference={reference !== undefined} chosen={tools} onChoose={setTools} />
        <div class="row between">
          <Samples samples={SAMPLES} isBusy={take.isBusy} onTake={(sample) => void take.run(sample)} />
          {pictures.length < 2 && (
            <Button
              kind="primary"
              disabled={first === undefined}
              isBusy={score.isBusy}
              onClick={() => first && void score.run(first, reference)}
            >
              Score
            </Button>
          )}
        </div>
      </section>
      <Notice
        fault={take.fault ?? score.fault ?? metrics.fault}
        onRetry={() => {
          metrics.reload();
          take.clear();
          if (first) void score.run(first, reference);
        }}
      />
      {pictures.length > 1 && (
        <Batch pictures={pictures} reference={reference} tools={usableWith(tools, reference, known)} />
      )}
      {scored && pictures.length < 2 && <Results scored={scored} metrics={known} />}
      {scored?.report && pictures.length < 2 && (
        <ScoreHistory sha256={scored.report.image.sha256} turn={scored.report} />
      )}
    </div>
  );
};

/** The complete response, in the order already on the screen; failed metrics come last. */
const completed = (scored: ScoredPicture, report: Scores): ScoredPicture => {
  const came = scored.scores.map(({ tool }) => tool);
  const place = ({ tool }: Score): number => (came.includes(tool) ? came.indexOf(tool) : came.length);
  return { ...scored, report, scores: [...report.scores].sort((a, b) => place(a) - place(b)) };
};

/** Omits full-reference metrics without a reference. */
const usableWith = (
  tools: readonly string[],
  reference: File | undefined,
  metrics: readonly IqaTool[],
): readonly string[] =>
  tools.filter((name) => reference !== undefined || metrics.find((metric) => metric.name === name)?.type !== 'FR');

import type { Decision, Step } from './decision.ts';

const TITLES: Readonly<Record<Step['step'], string>> = {
  scenario: 'scenario',
  intent: 'intent',
  match: 'match',
  evaluate: 'evaluate',
  arguments: 'arguments',
};

/** A decision as text for a person: the five steps, what each decided and why, then the draft. */
export const renderDecision = (decision: Decision): string =>
  [...decision.steps.map(renderStep), '', ...renderDraft(decision)].join('\n');

const renderStep = (step: Step, at: number): string => {
  const { before, after } = step.candidates;
  const narrowing = step.step === 'arguments' ? '' : `  ${before} -> ${after} candidates`;
  const lines = [
    `${at + 1} ${TITLES[step.step].padEnd(9)} ${decidedText(step)}  (${percent(step.confidence)}, ${step.by})${narrowing}`,
  ];
  if (step.evidence.length > 0) lines.push(`            from ${step.evidence.join(', ')}`);
  for (const note of step.notes ?? []) lines.push(`            note ${note}`);
  return lines.join('\n');
};

const decidedText = (step: Step): string => {
  const { decided } = step;
  if (decided === null) return 'nothing';
  if (typeof decided === 'string') return decided;
  if (Array.isArray(decided)) return decided.map(itemText).join(', ') || 'nothing';
  if (typeof decided === 'object' && 'name' in decided) return String(decided.name);
  return JSON.stringify(decided);
};

const itemText = (item: unknown): string => {
  if (typeof item !== 'object' || item === null) return String(item);
  if ('share' in item && 'name' in item) return `${item.name} ${percent(Number(item.share))}`;
  return 'tool' in item && 'score' in item ? `${item.tool} ${item.score}` : JSON.stringify(item);
};

const renderDraft = (decision: Decision): readonly string[] => {
  const sure = percent(decision.confidence);
  const lines =
    decision.tool === null
      ? [`no tool: ${decision.reason}`, `confidence ${sure} that none fits`]
      : [
          `${decision.tool}(${JSON.stringify(decision.arguments)})`,
          `confidence ${sure}, ${decision.valid ? 'valid' : 'not valid'}, ${decision.ready ? 'ready' : 'not ready'}`,
        ];
  for (const { parameter, question } of decision.missing) lines.push(`missing ${parameter}: ${question}`);
  for (const { parameter, value, question } of decision.doubts)
    lines.push(`doubtful ${parameter} = ${JSON.stringify(value)}: ${question}`);
  for (const note of decision.notes) lines.push(`note ${note}`);
  // The likeliest first, even if an earlier request ranked another higher.
  for (const { tool, confidence, reasons } of decision.alternatives.toSorted((a, b) => b.confidence - a.confidence))
    lines.push(`or ${tool} (${percent(confidence)}): ${reasons.join('; ')}`);
  return lines;
};

const percent = (share: number): string => (share > 0 && share < 0.005 ? 'under 1 %' : `${Math.round(share * 100)} %`);

/** What the words of a clause refer back to: one result, several, or nothing. */
export type Referred = 'one' | 'many' | undefined;

const MANY =
  /\b(?:both|them|they|these|those|all (?:of )?(?:the )?(?:results?|outputs?|answers?)|(?:the )?(?:two|three|four) (?:results?|outputs?|texts?|pictures?|images?|files?|answers?)|the (?:results|outputs|answers))\b|两者|它们|所有结果|这些结果|这两|两个结果|三个结果|全部结果|各个结果/iu;
const ONE =
  /\b(?:it|its|that|this|the (?:result|output|answer|outcome|response)|the (?:same|new|resulting|resized|converted|translated|decoded|encoded|downloaded|parsed|final|summarized|summarised|generated) \w+)\b|它|其(?!他|它|中)|结果|该(?:文件|图片|文本|数据|内容)|此(?:文件|图片|文本)|这(?:个|张|份|段)|那(?:个|张|份|段)/iu;

/** Whether a clause refers to an earlier result. Quoted words do not count. */
export const refersTo = (clause: string): Referred => {
  const plain = clause.replace(/"[^"]*"|“[^”]*”|'[^']*'/gu, ' ');
  if (MANY.test(plain)) return 'many';
  return ONE.test(plain) ? 'one' : undefined;
};

/** Whether a value taken from a clause is only a pronoun or a general word for something else. */
export const isPointer = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^(?:it|its|them|they|that|this|these|those|both|(?:the )?(?:results?|outputs?|answers?|text|file|image|picture|data|content|summary|translation)|它|它们|其|结果|该文件|该图片|这些|内容)$/iu.test(
    value.trim(),
  );

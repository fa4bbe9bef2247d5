import { lazily } from '../../kernel/lazily.ts';
import { englishOf } from '../../search/chinese.ts';
import { knownWords } from '../../search/word-vectors.ts';
import type { Phrase } from './phrases.ts';
import type { Span } from './span.ts';

/** Chinese phrases: up to four words in a row between function words, as segmented by `Intl.Segmenter`. */
export const segmentsOf = (text: string, fixed: readonly Span[]): readonly Phrase[] => {
  if (!HAN.test(text)) return [];
  const phrases: Phrase[] = [];
  for (const chunk of chunksOf(text, fixed)) {
    for (let from = 0; from < chunk.length; from++) {
      for (let to = from; to < Math.min(chunk.length, from + LONGEST); to++)
        phrases.push(phraseOf(text, chunk, from, to));
    }
  }
  return phrases.slice(0, LIMIT);
};

interface Segment {
  readonly word: string;
  readonly start: number;
  /** The function words before and after the run. */
  readonly opener: string;
  closer: string;
}

const phraseOf = (text: string, chunk: readonly Segment[], from: number, to: number): Phrase => {
  const [first, last] = [chunk[from] as Segment, chunk[to] as Segment];
  const end = last.start + last.word.length;
  return {
    start: first.start,
    end,
    text: text.slice(first.start, end),
    terms: chunk.slice(from, to + 1).flatMap(({ word }) => {
      const [english = word] = englishOf(word);
      return [english];
    }),
    before: from === 0 ? first.opener : (chunk[from - 1]?.word ?? ''),
    after: to === chunk.length - 1 ? last.closer : (chunk[to + 1]?.word ?? ''),
    opens: from === 0,
    closes: to === chunk.length - 1,
    worth: knownWords().worth(first.word),
  };
};

const chunksOf = (text: string, fixed: readonly Span[]): readonly (readonly Segment[])[] => {
  const chunks: Segment[][] = [];
  let chunk: Segment[] = [];
  let opener = '';
  const close = (closer: string): void => {
    for (const segment of chunk) segment.closer = closer;
    if (chunk.length > 0) chunks.push(chunk);
    chunk = [];
    opener = closer;
  };
  for (const { segment, index, isWordLike } of segmenter().segment(text)) {
    const inside = fixed.some(({ start, end }) => index < end && start < index + segment.length);
    if (!isWordLike || inside || SMALL.has(segment)) close(SMALL.has(segment) ? segment : '');
    else if (HAN.test(segment)) chunk.push({ word: segment, start: index, opener, closer: '' });
    else close('');
  }
  close('');
  return chunks;
};

const segmenter = lazily(() => new Intl.Segmenter('zh', { granularity: 'word' }));

const HAN = /\p{Script=Han}/u;
const LONGEST = 4;
const LIMIT = 60;
const SMALL: ReadonlySet<string> = new Set(
  '的 了 吗 呢 吧 把 将 从 到 在 给 和 与 跟 用 请 帮 帮我 我 你 我们 要 想 是 有 多少 什么 怎么 怎么样 怎样 如何 哪里 哪个 哪天 几 为 成 对 向 于 去 也 都 一下 一个 这 那 这个 那个 之后 以后 等于 关于 以及 或 被 让 叫 搜索 查找 查询 查 翻译 转换 打开 发送 提醒 计算 比较 统计 删除 读取 播放 写入 转成 变成 换成 设置 预订 创建'.split(
    ' ',
  ),
);

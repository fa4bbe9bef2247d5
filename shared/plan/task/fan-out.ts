const LIST =
  /((?:[^,，、\s][^,，、]*?)(?:\s*[,，、]\s*(?!and\b|和)[^,，、]+?)*)\s*(?:,?\s+and\s+|、|和|以及|与)\s*([^\s,，、.。](?:[^,，、.。]|\.(?=\w))*?)(?=$|。|\.(?!\w)|\s+(?:then|to|in|from|with|into|for|using|as)\b|的)/iu;

/** Repeats a clause for each item of a list in it: `weather in Rome, Paris and Oslo` becomes three. */
export const fanOut = (clause: string): readonly string[] => {
  const introduced =
    /^(.*?(?:\b(?:in|for|of|into|to|from|between|on|about|at)\s+|[：:]\s*|查询|获取|翻译成|转换为|计算))(.+)$/iu.exec(
      clause,
    );
  const [, head = '', rest = clause] = introduced ?? [];
  const found = LIST.exec(rest);
  if (!found?.[1] || !found[2] || found.index !== 0) return [clause];
  const tail = rest.slice(found[0].length);
  const items = [...found[1].split(/\s*[,，、]\s*/u), found[2]]
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const isList = items.length >= 2 && items.every((item) => item.length <= 40 && item.split(/\s+/u).length <= 4);
  return isList ? items.map((item) => `${head}${item}${tail}`) : [clause];
};

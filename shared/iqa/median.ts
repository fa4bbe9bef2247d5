/** The lower median: element floor((n - 1) / 2) of the ascending values. Reorders them. */
export function lowerMedian(values: Float32Array): number {
  const wanted = Math.floor((values.length - 1) / 2);
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1] as number;
    let left = low;
    let right = high;
    while (left <= right) {
      while ((values[left] as number) < pivot) left++;
      while ((values[right] as number) > pivot) right--;
      if (left <= right) {
        const moved = values[left] as number;
        values[left++] = values[right] as number;
        values[right--] = moved;
      }
    }
    if (wanted <= right) high = right;
    else if (wanted >= left) low = left;
    else break;
  }
  return values[wanted] as number;
}

// Keeps the odd numbers of a buffer, in order, in three launches: how many each work-group keeps, what comes before each
// work-group, and the copy. Within a sub-group a ballot says who keeps; bits below a work-item's own are its place.
//
// module opencl

// place is where in its work-group a work-item's number goes; total is how many the work-group keeps.
void place(bool keep, local uint *part, uint *place, uint *total) {
  uint4 ballot = sub_group_ballot(keep);
  if (get_sub_group_local_id() == 0)
    part[get_sub_group_id()] = sub_group_ballot_bit_count(ballot);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint before = 0, all = 0;
  for (uint s = 0; s < get_num_sub_groups(); ++s) {
    if (s < get_sub_group_id())
      before += part[s];
    all += part[s];
  }
  *place = before + sub_group_ballot_exclusive_scan(ballot);
  *total = all;
}

kernel void number(global const uint *x, global uint *groups, uint n) {
  local uint part[1024];
  size_t i = get_global_id(0);
  uint at, total;
  place(i < n && x[i] % 2, part, &at, &total);
  if (get_local_id(0) == 0)
    groups[get_group_id(0)] = total;
}

// One work-item: there are few work-groups.
kernel void before(global uint *groups, global uint *count, uint n) {
  uint sum = 0;
  for (uint g = 0; g < n; ++g) {
    uint here = groups[g];
    groups[g] = sum;
    sum += here;
  }
  *count = sum;
}

kernel void copy(global const uint *x, global const uint *groups, global uint *y, uint n) {
  local uint part[1024];
  size_t i = get_global_id(0);
  bool keep = i < n && x[i] % 2;
  uint at, total;
  place(keep, part, &at, &total);
  if (keep)
    y[groups[get_group_id(0)] + at] = x[i];
}

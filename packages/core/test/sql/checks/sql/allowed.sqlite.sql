select case when exists (select 1
  from (select value as "id"
    from json_each(?)) as "x"
  cross join "album" as "t" on "t"."id" = "x"."id" and (((select ?) and ("t"."labelId" = (select ?)))) is not true) then 'forbidden' else 'allowed' end as json
-- ["[111]",1,1]

select case when (((select ?) and ("p"."labelId" = (select ?)))) then 'allowed' end as allowed
from (select "n"."id" as "id", "n"."title" as "title", "t"."shelf" as "shelf", "t"."facts" as "facts", "t"."labelId" as "labelId", "t"."openerId" as "openerId"
  from (select value as "crud_row", value ->> 0 as "id", value ->> 1 as "title"
    from json_each(?)) as "n" join "album" as "t" on "t"."id" = "n"."id") as "p"
-- [1,1,"[[111,\"New\"]]"]

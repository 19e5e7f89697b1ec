update "album" as "t" set "title" = case when "x"."crud_row" -> 1 <> '{}' then "x"."title" else "t"."title" end, "shelf" = case when "x"."crud_row" -> 2 <> '{}' then "x"."shelf" else "t"."shelf" end, "facts" = case when "x"."crud_row" -> 3 <> '{}' then "x"."facts" else "t"."facts" end
from (select value as "crud_row", value ->> 0 as "id", value ->> 1 as "title", value ->> 2 as "shelf", value -> '$[3][0]' as "facts"
  from json_each(?)
  limit -1) as "x"
where "t"."id" = "x"."id"
-- ["[[111,\"New\",null,{}],[112,{},{},[{\"c\":3}]]]"]

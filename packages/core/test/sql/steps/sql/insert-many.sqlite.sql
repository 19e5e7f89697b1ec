insert into "album" ("title", "shelf", "facts", "labelId", "openerId") select "x"."title", "x"."shelf", "x"."facts", "x"."labelId", "x"."openerId"
from (select value as "crud_row", value ->> 0 as "title", value ->> 1 as "shelf", value -> '$[2][0]' as "facts", value ->> 3 as "labelId", value ->> 4 as "openerId"
  from json_each(?)) as "x"
-- ["[[\"New 0\",null,[{\"of\":\"New 0\"}],2,null],[\"New 1\",null,[{\"of\":\"New 1\"}],2,null],[\"New 2\",null,[{\"of\":\"New 2\"}],2,null],[\"New 3\",null,[{\"of\":\"New 3\"}],2,null],[\"New 4\",null,[{\"of\":\"New 4\"}],2,null],[\"New 5\",null,[{\"of\":\"New 5\"}],2,null],[\"New 6\",null,[{\"of\":\"New 6\"}],2,null],[\"New 7\",null,[{\"of\":\"New 7\"}],2,null],[\"New 8\",null,[{\"of\":\"New 8\"}],2,null]]"]
